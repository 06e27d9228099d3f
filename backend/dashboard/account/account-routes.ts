import type { Deps } from '../../deps.ts'
import type { DashboardRoute } from '../page/page-route.ts'
import { accountPage, endOtherSessionsAction, endSessionAction } from './account-pages.ts'
import { createPasswordAttemptLimit } from './guard-password.ts'
import { passwordPage } from './password-page.ts'

/** A person's own account: the same in each of their workspaces. */
export const accountRoutes = (deps: Deps): DashboardRoute[] => {
  const limitPasswordAttempts = createPasswordAttemptLimit(deps)
  return [
    accountPage(deps, limitPasswordAttempts),
    passwordPage(limitPasswordAttempts),
    endSessionAction,
    endOtherSessionsAction,
  ]
}
