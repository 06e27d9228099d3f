import type { Deps } from '../../deps.ts'
import type { Line } from '../page/page-route.ts'
import { apiKeyListPage, newApiKeyPage, revokeKey } from './api-key-pages.ts'
import { appList, disconnect } from './connection-pages.ts'
import {
  callbacksPage,
  replayCallbacks,
  revealSecretPage,
  rotateSigningSecretPage,
} from './callback-pages.ts'
import { connectZapierPage } from './connect-page.ts'
import { deliveryPage, replayOne } from './delivery-pages.ts'
import { enable, remove, replayAll, rotateSecretPage, sendTest } from './webhook-actions.ts'
import { webhookListPage } from './webhook-list-page.ts'
import { webhookPage } from './webhook-pages.ts'

/** Who else works with the workspace: keys, apps, and those who are told when calls are over. */
export const integrationLines = (deps: Deps): Line[] => [
  connectZapierPage(deps),

  apiKeyListPage(deps),
  newApiKeyPage(),
  revokeKey(),

  appList(deps),
  disconnect(),

  webhookListPage(deps),
  webhookPage(deps),
  sendTest(),
  enable(),
  replayAll(),
  rotateSecretPage(deps),
  remove(),

  callbacksPage(deps),
  replayCallbacks(),
  revealSecretPage(),
  rotateSigningSecretPage(),

  deliveryPage(deps),
  replayOne(),
]
