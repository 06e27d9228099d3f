import type { Deps } from '../../deps.ts'
import type { Line } from '../page/page-route.ts'
import { generalSettingsPage } from './general-settings-page.ts'
import { inviteMemberPage, resetMemberPasswordPage } from './link-pages.ts'
import {
  changeRoleButton,
  leaveButton,
  membersPage,
  removeMemberButton,
  withdrawButton,
} from './member-pages.ts'

/** The workspace itself, and who works in it. */
export const settingsLines = (deps: Deps): Line[] => [
  generalSettingsPage(deps),
  membersPage(deps),
  inviteMemberPage,
  withdrawButton,
  leaveButton,
  changeRoleButton,
  removeMemberButton,
  resetMemberPasswordPage(deps),
]
