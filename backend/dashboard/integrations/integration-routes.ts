import type { Deps } from '../../deps.ts'
import type { DashboardRoute } from '../page/page-route.ts'
import { apiKeyListPage, newApiKeyPage, revokeApiKeyAction } from './api-key-pages.ts'
import {
  callbacksPage,
  replayCallbacksAction,
  revealSecretPage,
  rotateSigningSecretPage,
} from './callback-pages.ts'
import { connectedAppsPage, connectZapierPage, disconnectAppAction } from './connection-pages.ts'
import { deliveryPage, replayDeliveryAction } from './delivery-pages.ts'
import {
  enableWebhookAction,
  removeWebhookAction,
  replayWebhookAction,
  rotateSecretPage,
  sendTestEventAction,
} from './webhook-actions.ts'
import { webhookListPage, webhookPage } from './webhook-pages.ts'

/** Who else works with the workspace: keys, apps, and those who are told when calls are over. */
export const integrationRoutes = (deps: Deps): DashboardRoute[] => [
  connectZapierPage(deps),

  apiKeyListPage(deps),
  newApiKeyPage(),
  revokeApiKeyAction(),

  connectedAppsPage(deps),
  disconnectAppAction(),

  webhookListPage(deps),
  webhookPage(deps),
  sendTestEventAction(),
  enableWebhookAction(),
  replayWebhookAction(),
  rotateSecretPage(deps),
  removeWebhookAction(),

  callbacksPage(deps),
  replayCallbacksAction(),
  revealSecretPage(),
  rotateSigningSecretPage(),

  deliveryPage(deps),
  replayDeliveryAction(),
]
