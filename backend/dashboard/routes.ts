import type { Deps } from '../deps.ts'
import { accountLines } from './account/lines.ts'
import { agentLines } from './agents/lines.ts'
import { callLines } from './calls/lines.ts'
import { campaignLines } from './campaigns/lines.ts'
import { integrationLines } from './integrations/lines.ts'
import { knowledgeLines } from './knowledge/lines.ts'
import { contactLines } from './contacts/lines.ts'
import type { Line } from './lines.ts'
import { overviewLines } from './overview/lines.ts'
import { phoneNumberLines } from './phone-numbers/lines.ts'
import { settingsLines } from './settings/lines.ts'
import { spreadsheetLines } from './spreadsheets/lines.ts'
import { toolLines } from './tools/lines.ts'

/** Every page of a workspace: the lines of each folder, in the order of the navigation. */
export const createLines = (deps: Deps): Line[] => [
  ...overviewLines(deps),
  ...callLines(deps),
  ...campaignLines(deps),
  ...contactLines(deps),
  ...phoneNumberLines(deps),
  ...agentLines(deps),
  ...toolLines(deps),
  ...knowledgeLines(deps),
  ...spreadsheetLines(deps),
  ...integrationLines(deps),
  ...settingsLines(deps),
  ...accountLines(deps),
]
