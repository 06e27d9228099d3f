import type { Command } from './command.ts'
import { addMemberCommand } from './commands/add-member.ts'
import { addPhoneNumberCommand } from './commands/add-phone-number.ts'
import { createAgentCommand } from './commands/create-agent.ts'
import { createApiKeyCommand } from './commands/create-api-key.ts'
import { createOauthClientCommand } from './commands/create-oauth-client.ts'
import { createUserCommand } from './commands/create-user.ts'
import { createWorkspaceCommand } from './commands/create-workspace.ts'
import { listCommands } from './commands/lists.ts'
import { removeMemberCommand } from './commands/remove-member.ts'
import { revokeApiKeyCommand } from './commands/revoke-api-key.ts'

/** In the order in which a new installation needs them. */
export const commands: readonly Command[] = [
  createUserCommand,
  createWorkspaceCommand,
  addMemberCommand,
  removeMemberCommand,
  createApiKeyCommand,
  revokeApiKeyCommand,
  createOauthClientCommand,
  addPhoneNumberCommand,
  createAgentCommand,
  ...listCommands,
]
