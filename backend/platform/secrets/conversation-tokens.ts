import { createIdToken, type IdTokenKind, readIdToken } from './id-tokens.ts'

const conversationToken: IdTokenKind = { prefix: 'oct_', purpose: 'conversation' }

/** Returns the token with which Outdial itself opens the tools of a conversation that it holds. It never leaves Outdial. */
export const createConversationToken = (key: Buffer, conversationId: string): string =>
  createIdToken(conversationToken, key, conversationId)

/** Returns the ID of the conversation that a token belongs to. Undefined if the key didn't create the token. */
export const readConversationToken = (key: Buffer, token: string): string | undefined =>
  readIdToken(conversationToken, key, token)
