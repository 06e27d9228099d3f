import { FormError } from '../../platform/core/form-errors.ts'

export const chatNotFound = () =>
  new FormError(
    'not_found',
    "This chat doesn't exist, or it has been deleted. Start a new one on the agent's page.",
  )

export const chatEnded = () =>
  new FormError('validation_failed', 'This chat has ended. Start a new one to continue with this agent.')

export const notYourChat = () =>
  new FormError('validation_failed', 'Only the member who started this chat can continue it. Start your own.')

export const tooManyChats = (max: number) =>
  new FormError(
    'rate_limited',
    `You started ${max} chats within an hour. Continue one of them, or wait a few minutes.`,
  )
