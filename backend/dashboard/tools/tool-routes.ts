import type { Deps } from '../../deps.ts'
import type { DashboardRoute } from '../page/page-route.ts'
import { editHttpToolPage, newHttpToolPage } from './http-tool-pages.ts'
import { chooseServerToolsPage, editMcpServerPage, newMcpServerPage } from './mcp-server-pages.ts'
import { toolActions, toolListPage, toolPage } from './tool-pages.ts'

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
