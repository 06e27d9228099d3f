import type { Command } from './command.ts'
import { accountCommands } from './commands/account-commands.ts'
import { addDocumentCommand, createAgentCommand, setAgentStatusCommand } from './commands/agent-commands.ts'
import {
  addPhoneNumberCommand,
  addToDoNotCallCommand,
  archiveCampaignCommand,
  campaignStatusCommands,
  eraseContactCommand,
  retirePhoneNumberCommand,
} from './commands/campaign-commands.ts'
import { customToolCommands } from './commands/custom-tool-commands.ts'
import { listCommands } from './commands/list-commands.ts'
import { reencryptSecretsCommand } from './commands/secret-commands.ts'
import { listSpreadsheetsCommand, spreadsheetCommands } from './commands/spreadsheet-commands.ts'
import { listToolsCommand, toolCommands } from './commands/tool-commands.ts'

/** In the order that a new installation needs them. */
export const commands: readonly Command[] = [
  ...accountCommands,
  addPhoneNumberCommand,
  createAgentCommand,
  setAgentStatusCommand,
  ...customToolCommands,
  addDocumentCommand,
  ...spreadsheetCommands,
  ...toolCommands,
  ...campaignStatusCommands,
  archiveCampaignCommand,
  retirePhoneNumberCommand,
  addToDoNotCallCommand,
  eraseContactCommand,
  reencryptSecretsCommand,
  ...listCommands,
  listToolsCommand,
  listSpreadsheetsCommand,
]
