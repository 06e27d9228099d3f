import type { Command } from './command.ts'
import {
  addMemberCommand,
  createApiKeyCommand,
  createOauthClientCommand,
  createUserCommand,
  createWorkspaceCommand,
  removeMemberCommand,
  resetPasswordLinkCommand,
  revokeApiKeyCommand,
} from './commands/account-commands.ts'
import { addDocumentCommand, createAgentCommand, setAgentStatusCommand } from './commands/agent-commands.ts'
import {
  addPhoneNumberCommand,
  addToDoNotCallCommand,
  archiveCampaignCommand,
  eraseContactCommand,
  pauseCampaignCommand,
  resumeCampaignCommand,
  retireNumberCommand,
} from './commands/campaign-commands.ts'
import {
  addHttpToolCommand,
  addRemoteServerCommand,
  editHttpToolCommand,
  editRemoteServerCommand,
  refreshRemoteServerCommand,
} from './commands/custom-tool-commands.ts'
import { listCommands } from './commands/list-commands.ts'
import {
  createSpreadsheetCommand,
  deleteSpreadsheetCommand,
  exportSpreadsheetCommand,
  listSpreadsheetsCommand,
  removeGoogleAccountCommand,
  setGoogleAccountCommand,
} from './commands/spreadsheet-commands.ts'
import {
  assignToolCommand,
  deleteToolCommand,
  listToolsCommand,
  setToolActiveCommand,
  unassignToolCommand,
} from './commands/tool-commands.ts'

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
