import type { Deps } from '../../deps.ts'
import type { Line } from '../page/page-route.ts'
import { cancel, queueAgain, replay } from './call-actions.ts'
import { showCall } from './call-page.ts'
import { exportFile } from './export-file.ts'
import { listPage } from './call-list-page.ts'

/** What was asked for, and what became of it. */
export const callLines = (deps: Deps): Line[] => [
  listPage(deps),
  exportFile(deps),
  showCall(deps),
  cancel,
  queueAgain,
  replay,
]
