import type { Deps } from '../deps.ts'
import { accountRoutes } from './account/account-routes.ts'
import { agentRoutes } from './agents/agent-routes.ts'
import { callRoutes } from './calls/call-routes.ts'
import { campaignRoutes } from './campaigns/campaign-routes.ts'
import { contactRoutes } from './contacts/contact-routes.ts'
import { integrationRoutes } from './integrations/integration-routes.ts'
import { knowledgeRoutes } from './knowledge/knowledge-routes.ts'
import { overviewRoutes } from './overview/overview-page.ts'
import type { DashboardRoute } from './page/page-route.ts'
import { phoneNumberRoutes } from './phone-numbers/phone-number-pages.ts'
import { settingsRoutes } from './settings/settings-routes.ts'
import { spreadsheetRoutes } from './spreadsheets/spreadsheet-routes.ts'
import { toolRoutes } from './tools/tool-routes.ts'

/** Every page of a workspace: the lines of each folder, in the order of the navigation. */
export const createDashboardRoutes = (deps: Deps): DashboardRoute[] => [
  ...overviewRoutes(deps),
  ...callRoutes(deps),
  ...campaignRoutes(deps),
  ...contactRoutes(deps),
  ...phoneNumberRoutes(deps),
  ...agentRoutes(deps),
  ...toolRoutes(deps),
  ...knowledgeRoutes(deps),
  ...spreadsheetRoutes(deps),
  ...integrationRoutes(deps),
  ...settingsRoutes(deps),
  ...accountRoutes(deps),
]
