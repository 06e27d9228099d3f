import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { RequestId } from '@modelcontextprotocol/sdk/types.js'

/**
 * What carries a session's messages: the SDK's own interface, so that any of its servers can stand behind it, and a
 * way to send what is serialised already.
 */
export interface ToolTransport extends Transport {
  /** `answered`: the request that this message answers; undefined for what the server says by itself. */
  write(json: string, requestId?: RequestId): void
  /** Says that a request will not be answered, since its client canceled it. */
  dropRequest(requestId: RequestId): void
  /** Called every few seconds: sends a sign of life, and ends what nobody reads. */
  keepAlive(now: number): void
}
