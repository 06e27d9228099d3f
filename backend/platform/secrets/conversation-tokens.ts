import { createIdToken, type IdTokenKind, readIdToken } from './id-tokens.ts'

const conversationToken: IdTokenKind = { prefix: 'oct_', purpose: 'conversation' }

/** Returns the token for the tools of a conversation that Outdial holds itself. The token never leaves Outdial. */
export const createConversationToken = (key: Buffer, conversationId: string): string =>
  createIdToken(conversationToken, key, conversationId)

/** Returns the ID of the conversation that a token belongs to, or undefined if the token wasn't created with the key. */
export const readConversationToken = (key: Buffer, token: string): string | undefined =>
  readIdToken(conversationToken, key, token)
