import type { Deps } from '../../deps.ts'
import type { Line } from '../lines.ts'
import { cancel, queueAgain, replay } from './acts.ts'
import { showCall } from './call-page.ts'
import { exportFile } from './export-file.ts'
import { listPage } from './list-page.ts'

/** What was asked for, and what became of it. */
export const callLines = (deps: Deps): Line[] => [
  listPage(deps),
  exportFile(deps),
  showCall(deps),
  cancel,
  queueAgain,
  replay,
]
