import { createResetLink } from '../../identity/password-resets.ts'
import { defineCommand } from '../command.ts'
import { requireUserId } from '../command-options.ts'
import { emailOption } from '../options.ts'

export const resetPasswordLinkCommand = defineCommand({
  name: 'reset-password-link',
  summary: 'Makes a link by which a person sets a new password. It ends their sessions when it is used.',
  options: { email: emailOption },
  run: async (deps, { email }) => {
    const { link, expiresAt } = await createResetLink(deps)(await requireUserId(deps, email))
    return {
      record: { email, link, expires_at: expiresAt },
      note: 'Whoever opens it first can sign in as them. It works once, for 24 hours, and is not shown again.',
    }
  },
})
