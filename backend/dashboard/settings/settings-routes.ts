import type { Deps } from '../../deps.ts'
import type { DashboardRoute } from '../page/page-route.ts'
import { generalSettingsPage } from './general-settings-page.ts'
import { inviteMemberPage, resetMemberPasswordPage } from './link-pages.ts'
import {
  changeRoleAction,
  leaveWorkspaceAction,
  membersPage,
  removeMemberAction,
  withdrawInvitationAction,
} from './member-pages.ts'

/** The workspace itself, and who works in it. */
export const settingsRoutes = (deps: Deps): DashboardRoute[] => [
  generalSettingsPage(deps),
  membersPage(deps),
  inviteMemberPage,
  withdrawInvitationAction,
  leaveWorkspaceAction,
  changeRoleAction,
  removeMemberAction,
  resetMemberPasswordPage(deps),
]
