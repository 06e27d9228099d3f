import type { Deps } from '../../deps.ts'
import type { Line } from '../page/page-route.ts'
import { accountPage, endOtherSessionsButton, endSessionButton } from './account-pages.ts'
import { createPasswordAttemptLimit } from './guard-password.ts'
import { passwordPage } from './password-page.ts'

/** A person's own account: the same in each of their workspaces. */
export const accountLines = (deps: Deps): Line[] => {
  const limitPasswordAttempts = createPasswordAttemptLimit(deps)
  return [
    accountPage(deps, limitPasswordAttempts),
    passwordPage(limitPasswordAttempts),
    endSessionButton,
    endOtherSessionsButton,
  ]
}
