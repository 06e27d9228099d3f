import type { Deps } from '../../deps.ts'
import type { Line } from '../lines.ts'
import { toolActs } from './acts.ts'
import { choosePage } from './choose-page.ts'
import { editHttpPage, newHttpPage } from './http-pages.ts'
import { listPage } from './list-page.ts'
import { editServerPage, newServerPage } from './server-pages.ts'
import { toolPage } from './tool-page.ts'

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
