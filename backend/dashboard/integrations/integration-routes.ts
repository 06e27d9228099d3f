import type { Deps } from '../../deps.ts'
import type { Line } from '../page/page-route.ts'
import { apiKeyList, newApiKey, revokeKey } from './api-key-pages.ts'
import { appList, disconnect } from './connection-pages.ts'
import { callbacksPage, replayCallbacks, revealSecret, rotateOwnSecret } from './callback-pages.ts'
import { connectPage } from './connect-page.ts'
import { deliveryPage, replayOne } from './delivery-pages.ts'
import { enable, remove, replayAll, rotate, sendTest } from './webhook-actions.ts'
import { webhookList } from './webhook-list-page.ts'
import { webhookPage } from './webhook-pages.ts'

/** Who else works with the workspace: keys, apps, and those who are told when calls are over. */
export const integrationLines = (deps: Deps): Line[] => [
  connectPage(deps),

  apiKeyList(deps),
  newApiKey(),
  revokeKey(),

  appList(deps),
  disconnect(),

  webhookList(deps),
  webhookPage(deps),
  sendTest(),
  enable(),
  replayAll(),
  rotate(deps),
  remove(),

  callbacksPage(deps),
  replayCallbacks(),
  revealSecret(),
  rotateOwnSecret(),

  deliveryPage(deps),
  replayOne(),
]
