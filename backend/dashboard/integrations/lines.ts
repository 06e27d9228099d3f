import type { Deps } from '../../deps.ts'
import type { Line } from '../lines.ts'
import { apiKeyList, newApiKey, revokeKey } from './api-keys-pages.ts'
import { appList, disconnect } from './apps-pages.ts'
import { callbacksPage, replayCallbacks, revealSecret, rotateOwnSecret } from './callbacks-pages.ts'
import { connectPage } from './connect-page.ts'
import { deliveryPage, replayOne } from './delivery-page.ts'
import { enable, remove, replayAll, rotate, sendTest } from './webhook-acts.ts'
import { webhookList } from './webhook-list-page.ts'
import { webhookPage } from './webhook-page.ts'

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
