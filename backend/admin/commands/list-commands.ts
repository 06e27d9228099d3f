import type { Db } from '../../platform/db/schema.ts'
import {
  selectAgents,
  selectApiKeyRows,
  selectCampaigns,
  selectMembers,
  selectOauthClients,
  selectPhoneNumbers,
  selectUsers,
  selectWorkspaces,
} from '../admin-queries.ts'
import { type Command, type CommandResult, defineCommand } from '../command.ts'
import { requireWorkspace, workspaceOption } from '../command-options.ts'

type Rows = Promise<NonNullable<CommandResult['rows']>>

const defineListCommand = (name: string, summary: string, select: (db: Db) => Rows) =>
  defineCommand({ name, summary, options: {}, run: async ({ db }) => ({ rows: await select(db) }) })

const defineWorkspaceListCommand = (
  name: string,
  summary: string,
  select: (db: Db, workspaceId: number) => Rows,
) =>
  defineCommand({
    name,
    summary,
    options: { workspace: workspaceOption },
    run: async (deps, { workspace }) => {
      await requireWorkspace(deps, workspace)
      return { rows: await select(deps.db, workspace) }
    },
  })

export const listCommands: Command[] = [
  defineListCommand('list-users', 'Lists the users.', selectUsers),
  defineListCommand('list-workspaces', 'Lists the workspaces.', selectWorkspaces),
  defineListCommand('list-oauth-clients', 'Lists the registered OAuth apps.', selectOauthClients),
  defineWorkspaceListCommand('list-members', 'Lists the members of a workspace.', selectMembers),
  defineWorkspaceListCommand(
    'list-api-keys',
    'Lists the API keys of a workspace with their first characters.',
    selectApiKeyRows,
  ),
  defineWorkspaceListCommand('list-agents', 'Lists the agents of a workspace.', selectAgents),
  defineWorkspaceListCommand(
    'list-phone-numbers',
    'Lists the phone numbers of a workspace.',
    selectPhoneNumbers,
  ),
  defineWorkspaceListCommand('list-campaigns', 'Lists the campaigns of a workspace.', selectCampaigns),
]
