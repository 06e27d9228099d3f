import type { Deps } from '../../deps.ts'
import type { DashboardRoute } from '../page/page-route.ts'
import { cancelCallAction, queueAgainAction, replayDeliveryAction } from './call-actions.ts'
import { exportCallsDownload } from './call-export.ts'
import { callListPage } from './call-list-page.ts'
import { callPage } from './call-page.ts'

/** What was asked for, and what became of it. */
export const callRoutes = (deps: Deps): DashboardRoute[] => [
  callListPage(deps),
  exportCallsDownload(deps),
  callPage(deps),
  cancelCallAction,
  queueAgainAction,
  replayDeliveryAction,
]
