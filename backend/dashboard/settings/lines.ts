import type { Deps } from '../../deps.ts'
import type { Line } from '../lines.ts'
import { generalPage } from './general-page.ts'
import { inviteForm, resetForm } from './link-pages.ts'
import {
  changeRoleButton,
  leaveButton,
  membersPage,
  removeMemberButton,
  withdrawButton,
} from './members-page.ts'

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
