import type { Command } from './command.ts'
import { addDocumentCommand } from './commands/add-document.ts'
import { addMemberCommand } from './commands/add-member.ts'
import { addPhoneNumberCommand } from './commands/add-phone-number.ts'
import {
  assignToolCommand,
  deleteToolCommand,
  listToolsCommand,
  setToolActiveCommand,
  unassignToolCommand,
} from './commands/tool-commands.ts'
import { createAgentCommand } from './commands/agent-commands.ts'
import { createApiKeyCommand } from './commands/create-api-key.ts'
import { createOauthClientCommand } from './commands/create-oauth-client.ts'
import { createUserCommand } from './commands/create-user.ts'
import { createWorkspaceCommand } from './commands/account-commands.ts'
import { removeGoogleAccountCommand, setGoogleAccountCommand } from './commands/google-account.ts'
import { addHttpToolCommand, editHttpToolCommand } from './commands/http-tools.ts'
import { listCommands } from './commands/list-commands.ts'
import { removeMemberCommand } from './commands/remove-member.ts'
import { revokeApiKeyCommand } from './commands/revoke-api-key.ts'
import { archiveCampaignCommand } from './commands/archive-campaign.ts'
import { addToDoNotCallCommand } from './commands/campaign-commands.ts'
import { eraseContactCommand } from './commands/erase-contact.ts'
import { pauseCampaignCommand } from './commands/pause-campaign.ts'
import {
  addRemoteServerCommand,
  editRemoteServerCommand,
  refreshRemoteServerCommand,
} from './commands/custom-tool-commands.ts'
import { resetPasswordLinkCommand } from './commands/reset-password-link.ts'
import { resumeCampaignCommand } from './commands/resume-campaign.ts'
import { retireNumberCommand } from './commands/retire-number.ts'
import { setAgentStatusCommand } from './commands/set-agent-status.ts'
import {
  createSpreadsheetCommand,
  deleteSpreadsheetCommand,
  exportSpreadsheetCommand,
  listSpreadsheetsCommand,
} from './commands/spreadsheet-commands.ts'

/** In the order in which a new installation needs them. */
export const commands: readonly Command[] = [
  createUserCommand,
  createWorkspaceCommand,
  addMemberCommand,
  removeMemberCommand,
  resetPasswordLinkCommand,
  createApiKeyCommand,
  revokeApiKeyCommand,
  createOauthClientCommand,
  addPhoneNumberCommand,
  createAgentCommand,
  setAgentStatusCommand,
  addHttpToolCommand,
  editHttpToolCommand,
  addRemoteServerCommand,
  editRemoteServerCommand,
  refreshRemoteServerCommand,
  addDocumentCommand,
  createSpreadsheetCommand,
  exportSpreadsheetCommand,
  deleteSpreadsheetCommand,
  setGoogleAccountCommand,
  removeGoogleAccountCommand,
  assignToolCommand,
  unassignToolCommand,
  setToolActiveCommand,
  deleteToolCommand,
  pauseCampaignCommand,
  resumeCampaignCommand,
  archiveCampaignCommand,
  retireNumberCommand,
  addToDoNotCallCommand,
  eraseContactCommand,
  ...listCommands,
  listToolsCommand,
  listSpreadsheetsCommand,
]
