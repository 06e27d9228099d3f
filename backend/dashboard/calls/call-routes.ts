import type { Deps } from '../../deps.ts'
import type { Line } from '../page/page-route.ts'
import { cancel, queueAgain, replay } from './call-actions.ts'
import { callPage } from './call-page.ts'
import { exportFile } from './export-file.ts'
import { callListPage } from './call-list-page.ts'

/** What was asked for, and what became of it. */
export const callLines = (deps: Deps): Line[] => [
  callListPage(deps),
  exportFile(deps),
  callPage(deps),
  cancel,
  queueAgain,
  replay,
]
