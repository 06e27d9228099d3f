import type { Deps } from '../deps.ts'
import {
  accountPage,
  createPasswordAttemptLimit,
  endOtherSessionsAction,
  endSessionAction,
  passwordPage,
} from './account/account-pages.ts'
import { editAgentPage, newAgentPage } from './agents/agent-form-pages.ts'
import {
  agentListPage,
  agentPage,
  pauseAgentAction,
  publishAgentAction,
  resumeAgentAction,
} from './agents/agent-pages.ts'
import { assignToolAction, assignToolPage, unassignToolAction } from './agents/agent-tool-pages.ts'
import { agentVersionsPage, restoreVersionAction } from './agents/agent-version-pages.ts'
import { tryToolPage } from './agents/try-tool-page.ts'
import { cancelCallAction, queueCallAgainAction, replayDeliveryOfCallAction } from './calls/call-actions.ts'
import { exportCallsDownload } from './calls/call-export.ts'
import { callListPage } from './calls/call-list-page.ts'
import { callPage } from './calls/call-page.ts'
import { simulateCallPage } from './calls/simulate-call-page.ts'
import { editCampaignPage, newCampaignPage } from './campaigns/campaign-form-pages.ts'
import {
  archiveCampaignPage,
  campaignListPage,
  campaignPage,
  pauseCampaignAction,
  resumeCampaignAction,
} from './campaigns/campaign-pages.ts'
import { chatPage, endChatAction, sendChatEventAction } from './chats/chat-pages.ts'
import { startChatPage } from './chats/start-chat-page.ts'
import { addToCampaignPage, callNowPage, confirmCallPage } from './contacts/call-contact-pages.ts'
import { exportContactsDownload } from './contacts/contact-export.ts'
import { editContactPage, newContactPage } from './contacts/contact-form-pages.ts'
import { importColumnsPage } from './contacts/contact-import-columns-page.ts'
import {
  discardImportAction,
  importPage,
  importResultPage,
  startImportPage,
} from './contacts/contact-import-pages.ts'
import { contactListPage } from './contacts/contact-list-page.ts'
import { addNotePage, contactPage } from './contacts/contact-page.ts'
import {
  addContactToDoNotCallListPage,
  doNotCallPage,
  removeContactFromDoNotCallListPage,
  removeFromDoNotCallListPage,
} from './contacts/do-not-call-page.ts'
import { eraseContactPage } from './contacts/erase-contact-page.ts'
import { importIssuesDownload, rejectedRowsDownload } from './contacts/import-downloads.ts'
import { undoImportPage } from './contacts/undo-import-pages.ts'
import {
  callbacksPage,
  replayCallbacksAction,
  revealSecretPage,
  rotateSigningSecretPage,
} from './integrations/callback-pages.ts'
import {
  connectedAppsPage,
  connectZapierPage,
  disconnectAppAction,
  realCallsPage,
} from './integrations/connection-pages.ts'
import { deliveryPage, replayDeliveryAction } from './integrations/delivery-pages.ts'
import {
  enableWebhookAction,
  removeWebhookAction,
  replayWebhookAction,
  rotateSecretPage,
  sendTestEventAction,
} from './integrations/webhook-actions.ts'
import { webhookListPage, webhookPage } from './integrations/webhook-pages.ts'
import {
  addDocumentPage,
  deleteDocumentAction,
  documentPage,
  editDocumentPage,
  knowledgePage,
} from './knowledge/knowledge-pages.ts'
import { createOverviewPage } from './overview/overview-page.ts'
import type { DashboardRoute } from './page/define-page.ts'
import {
  activatePhoneNumberAction,
  newPhoneNumberPage,
  phoneNumberListPage,
  retirePhoneNumberAction,
} from './phone-numbers/phone-number-pages.ts'
import { apiKeyListPage, newApiKeyPage, revokeApiKeyAction } from './settings/api-key-pages.ts'
import { apiLogPage, apiRequestPage } from './settings/api-log-pages.ts'
import { generalSettingsPage } from './settings/general-settings-page.ts'
import {
  changeRoleAction,
  inviteMemberPage,
  leaveWorkspaceAction,
  membersPage,
  removeMemberAction,
  resetMemberPasswordPage,
  withdrawInvitationAction,
} from './settings/member-pages.ts'
import { retentionPage, shortenRetentionPage, undoRetentionAction } from './settings/retention-pages.ts'
import { rulesPage } from './settings/rules-page.ts'
import { mountInvitation } from './sign-in/invitation-page.ts'
import { mountResetPassword } from './sign-in/reset-password-page.ts'
import { mountNewWorkspace, mountSignUp } from './sign-in/sign-up-pages.ts'
import {
  deleteSpreadsheetAction,
  exportSpreadsheetDownload,
  googleAccountPage,
  newSpreadsheetPage,
  removeGoogleAccountAction,
  spreadsheetListPage,
  spreadsheetPage,
} from './spreadsheets/spreadsheet-pages.ts'
import { editHttpToolPage, newHttpToolPage } from './tools/http-tool-pages.ts'
import { chooseServerToolsPage, editMcpServerPage, newMcpServerPage } from './tools/mcp-server-pages.ts'
import {
  deleteToolAction,
  refreshServerAction,
  switchOffToolAction,
  switchOnToolAction,
  toolListPage,
  toolPage,
} from './tools/tool-pages.ts'

export type DashboardRoutes = Record<`/${string}`, DashboardRoute>

/** Forms that don't belong to a workspace. `/`, `/sign-in`, and `/sign-out` are mounted in sign-in/sign-in-pages.ts. */
export const publicForms = {
  '/sign-up': mountSignUp,
  '/workspaces/new': mountNewWorkspace,
  '/invitations/:token': mountInvitation,
  '/reset-password/:token': mountResetPassword,
}

/** Returns every page, form, action, and download of a workspace by its path below `/w/:workspace`. */
export function createDashboardRoutes(deps: Deps): DashboardRoutes {
  const limitPasswordAttempts = createPasswordAttemptLimit(deps)
  return {
    '/overview': createOverviewPage(deps),

    '/calls': callListPage,
    '/calls/export': exportCallsDownload,
    '/calls/simulate': simulateCallPage,
    '/calls/:id': callPage,
    '/calls/:id/cancel': cancelCallAction,
    '/calls/:id/queue-again': queueCallAgainAction,
    '/calls/:id/replay': replayDeliveryOfCallAction,

    '/campaigns': campaignListPage,
    '/campaigns/new': newCampaignPage,
    '/campaigns/:id': campaignPage,
    '/campaigns/:id/edit': editCampaignPage,
    '/campaigns/:id/pause': pauseCampaignAction,
    '/campaigns/:id/resume': resumeCampaignAction,
    '/campaigns/:id/archive': archiveCampaignPage,

    '/contacts': contactListPage,
    '/contacts/new': newContactPage,
    '/contacts/export': exportContactsDownload,
    '/contacts/do-not-call': doNotCallPage,
    '/contacts/do-not-call/remove': removeFromDoNotCallListPage,
    '/contacts/import': importPage,
    '/contacts/import/:id': importResultPage,
    '/contacts/import/:id/start': startImportPage,
    '/contacts/import/:id/discard': discardImportAction,
    '/contacts/import/:id/columns': importColumnsPage,
    '/contacts/import/:id/undo': undoImportPage,
    '/contacts/import/:id/issues': importIssuesDownload,
    '/contacts/import/:id/rejected': rejectedRowsDownload,
    '/contacts/:id': contactPage,
    '/contacts/:id/edit': editContactPage,
    '/contacts/:id/call': callNowPage,
    '/contacts/:id/call/:campaignId': confirmCallPage,
    '/contacts/:id/add-to-campaign': addToCampaignPage,
    '/contacts/:id/do-not-call': addContactToDoNotCallListPage,
    '/contacts/:id/allow-again': removeContactFromDoNotCallListPage,
    '/contacts/:id/notes': addNotePage,
    '/contacts/:id/erase': eraseContactPage,

    '/phone-numbers': phoneNumberListPage,
    '/phone-numbers/new': newPhoneNumberPage,
    '/phone-numbers/:id/retire': retirePhoneNumberAction,
    '/phone-numbers/:id/activate': activatePhoneNumberAction,

    '/agents': agentListPage,
    '/agents/new': newAgentPage,
    '/agents/:id': agentPage,
    '/agents/:id/edit': editAgentPage,
    '/agents/:id/versions': agentVersionsPage,
    '/agents/:id/restore': restoreVersionAction,
    '/agents/:id/publish': publishAgentAction,
    '/agents/:id/pause': pauseAgentAction,
    '/agents/:id/resume': resumeAgentAction,
    '/agents/:id/chats/new': startChatPage,
    '/agents/:id/chats/:chatId': chatPage,
    '/agents/:id/chats/:chatId/end': endChatAction,
    '/agents/:id/chats/:chatId/test-event': sendChatEventAction,
    '/agents/:id/tools/:toolId': assignToolPage,
    '/agents/:id/tools/:toolId/assign': assignToolAction,
    '/agents/:id/tools/:toolId/unassign': unassignToolAction,
    '/agents/:id/tools/:toolId/try': tryToolPage,

    '/tools': toolListPage,
    '/tools/new-http': newHttpToolPage,
    '/tools/new-server': newMcpServerPage,
    '/tools/:id': toolPage,
    '/tools/:id/edit-http': editHttpToolPage,
    '/tools/:id/edit-server': editMcpServerPage,
    '/tools/:id/choose': chooseServerToolsPage,
    '/tools/:id/refresh': refreshServerAction,
    '/tools/:id/switch-on': switchOnToolAction,
    '/tools/:id/switch-off': switchOffToolAction,
    '/tools/:id/delete': deleteToolAction,

    '/knowledge': knowledgePage,
    '/knowledge/new': addDocumentPage,
    '/knowledge/:id': documentPage,
    '/knowledge/:id/edit': editDocumentPage,
    '/knowledge/:id/delete': deleteDocumentAction,

    '/spreadsheets': spreadsheetListPage,
    '/spreadsheets/new': newSpreadsheetPage,
    '/spreadsheets/google': googleAccountPage,
    '/spreadsheets/google/remove': removeGoogleAccountAction,
    '/spreadsheets/:spreadsheetId': spreadsheetPage,
    '/spreadsheets/:spreadsheetId/csv': exportSpreadsheetDownload,
    '/spreadsheets/:spreadsheetId/delete': deleteSpreadsheetAction,

    '/integrations': connectZapierPage,
    '/integrations/real-calls': realCallsPage,
    '/integrations/apps': connectedAppsPage,
    '/integrations/apps/:userId/:clientId/disconnect': disconnectAppAction,
    '/integrations/webhooks': webhookListPage,
    '/integrations/webhooks/:id': webhookPage,
    '/integrations/webhooks/:id/test': sendTestEventAction,
    '/integrations/webhooks/:id/enable': enableWebhookAction,
    '/integrations/webhooks/:id/replay': replayWebhookAction,
    '/integrations/webhooks/:id/rotate': rotateSecretPage,
    '/integrations/webhooks/:id/remove': removeWebhookAction,
    '/integrations/callbacks': callbacksPage,
    '/integrations/callbacks/replay': replayCallbacksAction,
    '/integrations/callbacks/reveal-secret': revealSecretPage,
    '/integrations/callbacks/rotate-secret': rotateSigningSecretPage,
    '/integrations/deliveries/:id': deliveryPage,
    '/integrations/deliveries/:id/replay': replayDeliveryAction,

    '/settings': generalSettingsPage,
    '/settings/rules': rulesPage,
    '/settings/retention': retentionPage,
    '/settings/retention/shorten': shortenRetentionPage,
    '/settings/retention/undo': undoRetentionAction,
    '/settings/members': membersPage,
    '/settings/members/invite': inviteMemberPage,
    '/settings/members/leave': leaveWorkspaceAction,
    '/settings/members/:id/role': changeRoleAction,
    '/settings/members/:id/remove': removeMemberAction,
    '/settings/members/:id/reset-password': resetMemberPasswordPage,
    '/settings/invitations/:id/withdraw': withdrawInvitationAction,
    '/settings/api-keys': apiKeyListPage,
    '/settings/api-keys/new': newApiKeyPage,
    '/settings/api-keys/:id/revoke': revokeApiKeyAction,
    '/settings/api-log': apiLogPage,
    '/settings/api-log/:id': apiRequestPage,

    '/account': accountPage(limitPasswordAttempts),
    '/account/password': passwordPage(limitPasswordAttempts),
    '/account/sessions/end-others': endOtherSessionsAction,
    '/account/sessions/:id/end': endSessionAction,
  }
}
