import type { Deps } from '../../deps.ts'
import type { DashboardRoute } from '../page/page-route.ts'
import { toolActions } from './acts.ts'
import { chooseServerToolsPage } from './choose-page.ts'
import { editHttpToolPage, newHttpToolPage } from './http-tool-pages.ts'
import { toolListPage } from './list-page.ts'
import { editMcpServerPage, newMcpServerPage } from './mcp-server-pages.ts'
import { toolPage } from './tool-pages.ts'

/** What agents can do during a call besides talking. */
export const toolRoutes = (deps: Deps): DashboardRoute[] => [
  toolListPage(deps),
  newHttpToolPage(),
  newMcpServerPage(deps),
  toolPage(deps),
  editHttpToolPage(deps),
  editMcpServerPage(deps),
  chooseServerToolsPage(deps),
  ...toolActions(deps),
]
