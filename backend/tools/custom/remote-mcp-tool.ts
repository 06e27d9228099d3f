import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { checkTargetUrl } from '../../outbound/target-url.ts'
import { openSecrets, redactSecrets, type ToolSecrets } from './tool-secrets.ts'
import { dryRun, refused } from '../kinds/answer.ts'
import type { GeneralToolKind, ToolAnswer, ToolRow, ToolUse } from '../kinds/tool-kind.ts'
import { addressOf } from '../kinds/remote-mcp/address.ts'
import { connectRemote } from './connect-remote.ts'
import { describeRemoteFailure, isRefusal, SessionGoneError, tellSessionGone } from './remote-errors.ts'
import { readResult } from '../kinds/remote-mcp/read-result.ts'
import { createRemoteSessions, type RemoteSessions } from './remote-session-pool.ts'
import { passedOnName, passOn, RemoteSettings, type RemoteTool } from './tool-settings.ts'
import { shorten } from '../kinds/shorten.ts'

/** Passes the chosen tools of another MCP server on, as `<server>__<tool>`. */
export const remoteMcp = createRemoteMcp({ connectMs: 8_000, timeoutMs: 15_000, idleMs: 60_000 })

/**
 * @param options.connectMs for opening a session
 * @param options.timeoutMs for one use, opening included; less than a tool call may take
 * @param options.idleMs until a session that is not used ends
 */
export function createRemoteMcp(options: {
  connectMs: number
  timeoutMs: number
  idleMs: number
}): GeneralToolKind & Required<Pick<GeneralToolKind, 'close'>> {
  let sessions: RemoteSessions | undefined

  /** @param limited the signal of the use and its time limit */
  const use = async (deps: Deps, given: ToolUse, secrets: ToolSecrets, limited: AbortSignal) => {
    const { row } = given
    const settings = RemoteSettings.parse(row.settings)
    const { name } = toolOf(row, settings, given.toolName)
    const address = addressOf(deps.config, settings, secrets)
    const kept = (sessions ??= createRemoteSessions({ idleMs: options.idleMs, clock: deps.clock }))
    const once = () =>
      kept.use(
        `${row.workspaceId}:${row.id}:${row.version}`,
        () => connectRemote(address, AbortSignal.timeout(options.connectMs)),
        (session) =>
          session.callTool(name, given.args, limited).catch((error: unknown) => {
            limited.throwIfAborted() // the SDK makes an McpError of it
            return tellSessionGone(error)
          }),
        { given: given.signal, limited },
      )
    return once().catch((error: unknown) => {
      if (error instanceof SessionGoneError) return once()
      throw error
    })
  }

  return {
    kind: 'remote_mcp',
    settings: RemoteSettings,
    config: z.strictObject({}),
    hasEffects: (row, toolName) => !toolOf(row, RemoteSettings.parse(row.settings), toolName).readOnly,
    builtIn: undefined,
    definitions: (row) => RemoteSettings.parse(row.settings).tools.map((tool) => passOn(row.name, tool)),
    run: async (deps, given) => {
      if (given.dryRun) {
        return dryRun(`${given.toolName} would have been used with ${JSON.stringify(given.args)}`)
      }
      const wrong = checkTargetUrl(deps.config, RemoteSettings.parse(given.row.settings).url)
      if (wrong !== undefined) return refused(`The server cannot be reached. ${wrong}`)
      const secrets = openSecrets(deps.box, given.row.secrets)
      const limited = AbortSignal.any([given.signal, AbortSignal.timeout(options.timeoutMs)])
      try {
        return readResult(await use(deps, given, secrets, limited), secrets)
      } catch (error) {
        given.signal.throwIfAborted()
        return tellFailure(given.row, error, secrets)
      }
    },
    close: async () => {
      await sessions?.close()
      sessions = undefined
    },
  }
}

function toolOf(row: ToolRow, settings: RemoteSettings, toolName: string): RemoteTool {
  const tool = settings.tools.find(({ name }) => passedOnName(row.name, name) === toolName)
  if (tool === undefined) throw new Error(`tool ${row.id} passes no ${toolName} on`)
  return tool
}

function tellFailure(row: ToolRow, error: unknown, secrets: ToolSecrets): ToolAnswer {
  const failure = shorten(redactSecrets(describeRemoteFailure(error), secrets), 1024)
  const doubt = isRefusal(error) ? '' : ' It is not known whether it took effect: do not repeat it.'
  return refused(`The server ${row.name} did not do it: ${failure}.${doubt}`)
}
