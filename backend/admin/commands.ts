import type { Program } from './command-line.ts'
import { accountCommands } from './commands/account-commands.ts'
import { addDocumentCommand, createAgentCommand, setAgentStatusCommand } from './commands/agent-commands.ts'
import {
  addPhoneNumberCommand,
  addToDoNotCallCommand,
  archiveCampaignCommand,
  campaignStatusCommands,
  eraseContactCommand,
  pauseAllCampaignsCommand,
  retirePhoneNumberCommand,
} from './commands/campaign-commands.ts'
import { customToolCommands } from './commands/custom-tool-commands.ts'
import { diagnoseCommand } from './commands/diagnose-command.ts'
import { listCommands } from './commands/list-commands.ts'
import { reencryptSecretsCommand } from './commands/secret-commands.ts'
import { listSpreadsheetsCommand, spreadsheetCommands } from './commands/spreadsheet-commands.ts'
import { listToolsCommand, toolCommands } from './commands/tool-commands.ts'

/** The commands, in the order in which a new installation needs them. */
const commands = [
  ...accountCommands,
  addPhoneNumberCommand,
  createAgentCommand,
  setAgentStatusCommand,
  ...customToolCommands,
  addDocumentCommand,
  ...spreadsheetCommands,
  ...toolCommands,
  ...campaignStatusCommands,
  pauseAllCampaignsCommand,
  archiveCampaignCommand,
  retirePhoneNumberCommand,
  addToDoNotCallCommand,
  eraseContactCommand,
  reencryptSecretsCommand,
  ...listCommands,
  listToolsCommand,
  listSpreadsheetsCommand,
]

export const adminProgram: Program = { script: 'npm run admin', commands }

export const supportProgram: Program = { script: 'npm run support', commands: [diagnoseCommand] }
