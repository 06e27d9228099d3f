import type { Deps } from '../../deps.ts'
import type { Line } from '../page/page-route.ts'
import { generalPage } from './general-settings-page.ts'
import { inviteForm, resetForm } from './link-pages.ts'
import {
  changeRoleButton,
  leaveButton,
  membersPage,
  removeMemberButton,
  withdrawButton,
} from './member-pages.ts'

/** The workspace itself, and who works in it. */
export const settingsLines = (deps: Deps): Line[] => [
  generalPage(deps),
  membersPage(deps),
  inviteForm,
  withdrawButton,
  leaveButton,
  changeRoleButton,
  removeMemberButton,
  resetForm(deps),
]
