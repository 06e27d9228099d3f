import type { ConversationEnd } from '../../platform/db/schema.ts'
import type { Badge } from '../../platform/views/badges.ts'

const badges: Record<ConversationEnd, Badge> = {
  agent: { tone: 'good', text: 'Ended by the agent' },
  member: { tone: 'good', text: 'Ended by the member' },
  silence: { tone: 'mute', text: 'Silence' },
  limit: { tone: 'warn', text: 'Limit reached' },
  failed: { tone: 'bad', text: 'Failed' },
  idle: { tone: 'mute', text: 'Left idle' },
}

export const chatEndBadge = (end: ConversationEnd | null): Badge =>
  end === null ? { tone: 'live', text: 'In progress' } : badges[end]

const sentences: Record<ConversationEnd, string> = {
  agent: 'The agent ended the chat.',
  member: 'The member ended the chat.',
  silence: 'The agent ended the chat, because the contact said nothing for 20 seconds.',
  limit:
    "The agent ended the chat, because it reached a limit: the agent's maximum minutes, 200 turns, or the longest text that a model gets.",
  failed: 'The agent ended the chat, because of the failure that the conversation shows.',
  idle: 'The chat ended after 15 minutes without a message.',
}

/** Says why a chat ended. */
export const describeChatEnd = (end: ConversationEnd): string => sentences[end]
