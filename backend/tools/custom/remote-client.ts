import { randomUUID } from 'node:crypto'
import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/client'
import type { Config } from '../../config.ts'
import { createRequestThread } from '../../platform/core/request-thread.ts'
import { markNotSent } from '../../platform/outbound/guard.ts'
import type { RemoteAddress, RemoteSession } from './connect-remote.ts'
import { RemoteError } from './remote-failure.ts'
import type { RemoteRequest, RemoteResult } from './remote-thread.ts'
import { fillSecrets, type ToolSecrets } from './tool-secrets.ts'
import type { RemoteSettings } from './tool-settings.ts'

const maxHeapMegabytes = 256
const thread = createRequestThread<RemoteRequest, RemoteResult>(
  new URL('./remote-thread.ts', import.meta.url),
  maxHeapMegabytes,
)

/**
 * Opens a session in the thread for remote servers.
 *
 * @throws errors that `describeRemoteFailure` describes
 */
export async function openRemoteSession(address: RemoteAddress, signal: AbortSignal): Promise<RemoteSession> {
  const session = randomUUID()
  const close = async () => {
    await thread.send({ type: 'close', session }).catch(() => {}) // the session ended with its thread, or was never open
  }
  await send({ type: 'open', session, address }, signal).catch((error: unknown) => {
    void close()
    throw markNotSent(error)
  })
  const ended = new AbortController()
  void thread
    .send({ type: 'wait for the end', session })
    .catch(() => {}) // the session ended with its thread
    .then(() => ended.abort())
  return {
    listTools: async (cursor, listSignal): Promise<ListToolsResult> => {
      const result = await send({ type: 'list tools', session, cursor }, listSignal)
      if (result.type !== 'tools') throw new Error('invariant: no list of tools')
      return result.list
    },
    callTool: async (name, args, callSignal): Promise<CallToolResult> => {
      const result = await send({ type: 'call tool', session, name, args }, callSignal)
      if (result.type !== 'called') throw new Error('invariant: no result of a tool')
      return result.result
    },
    disconnected: ended.signal,
    close,
  }
}

async function send(
  request: RemoteRequest,
  signal: AbortSignal,
): Promise<Exclude<RemoteResult, { type: 'failed' }>> {
  const result = await thread.send(request, signal)
  if (result.type === 'failed') throw new RemoteError(result.failure)
  return result
}

/** Fills the secrets into a server's settings. */
export const toRemoteAddress = (
  config: Pick<Config, 'allowLoopbackWebhooks'>,
  { url, transport, headers }: Omit<RemoteSettings, 'tools'>,
  secrets: ToolSecrets,
): RemoteAddress => ({
  url: new URL(fillSecrets(url, secrets, encodeURIComponent)).href,
  transport,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, fillSecrets(value, secrets)]),
  ),
  allowLoopback: config.allowLoopbackWebhooks,
})
