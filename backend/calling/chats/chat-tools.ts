import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { createConversationToken } from '../../platform/secrets/conversation-tokens.ts'
import type { OpenTools } from '../conversation/conversation-tools.ts'
import { openToolClient, ownToolServerUrl } from '../telephony/tool-client.ts'
import type { ChatRow } from './chat-store.ts'

/** How long opening a tool session can take. The tool server is on the same machine, so a longer wait wouldn't help. */
const openTimeoutMs = 3 * secondMs

/** Opens a tool session for a chat. The session's tools only do dry runs, and only for the chat's contact. */
export async function openChatTools(
  { config, attemptTokenKey }: Pick<Deps, 'config' | 'attemptTokenKey'>,
  chat: Pick<ChatRow, 'id'>,
  signal: AbortSignal,
): Promise<OpenTools> {
  const token = createConversationToken(attemptTokenKey, chat.id)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(openTimeoutMs)])
  const client = await openToolClient(ownToolServerUrl(config), token, limit)
  return {
    tools: [...client.tools].map(([name, tool]) => ({ name, ...tool })),
    call: (name, args, callSignal) => client.call(name, args, callSignal),
    close: () => client.close(),
  }
}
