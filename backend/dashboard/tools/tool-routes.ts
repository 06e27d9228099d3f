import type { Deps } from '../../deps.ts'
import type { Line } from '../page/page-route.ts'
import { toolActs } from './acts.ts'
import { choosePage } from './choose-page.ts'
import { editHttpPage, newHttpPage } from './http-tool-pages.ts'
import { listPage } from './list-page.ts'
import { editServerPage, newServerPage } from './mcp-server-pages.ts'
import { toolPage } from './tool-pages.ts'

/** What agents can do during a call besides talking. */
export const toolLines = (deps: Deps): Line[] => [
  listPage(deps),
  newHttpPage(),
  newServerPage(deps),
  toolPage(deps),
  editHttpPage(deps),
  editServerPage(deps),
  choosePage(deps),
  ...toolActs(deps),
]
