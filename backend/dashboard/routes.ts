import type { Deps } from '../deps.ts'
import { accountLines } from './account/account-routes.ts'
import { agentLines } from './agents/agent-routes.ts'
import { callLines } from './calls/call-routes.ts'
import { campaignLines } from './campaigns/campaign-routes.ts'
import { integrationLines } from './integrations/integration-routes.ts'
import { knowledgeLines } from './knowledge/knowledge-routes.ts'
import { contactLines } from './contacts/contact-routes.ts'
import type { Line } from './page/page-route.ts'
import { overviewLines } from './overview/overview-page.ts'
import { phoneNumberLines } from './phone-numbers/phone-number-pages.ts'
import { settingsLines } from './settings/settings-routes.ts'
import { spreadsheetLines } from './spreadsheets/spreadsheet-routes.ts'
import { toolLines } from './tools/tool-routes.ts'

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
