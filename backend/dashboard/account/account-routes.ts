import type { Deps } from '../../deps.ts'
import type { DashboardRoute } from '../page/page-route.ts'
import {
  accountPage,
  createPasswordAttemptLimit,
  endOtherSessionsAction,
  endSessionAction,
  passwordPage,
} from './account-pages.ts'

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
