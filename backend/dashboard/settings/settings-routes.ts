import type { Deps } from '../../deps.ts'
import type { DashboardRoute } from '../page/page-route.ts'
import { generalSettingsPage } from './general-settings-page.ts'
import {
  changeRoleAction,
  inviteMemberPage,
  leaveWorkspaceAction,
  membersPage,
  removeMemberAction,
  resetMemberPasswordPage,
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
