import type { Db } from '../../db/schema.ts'
import { type Command, defineCommand, type Result } from '../command.ts'
import { requireWorkspace } from '../command-options.ts'
import { workspaceOption } from '../options.ts'
import {
  selectAgents,
  selectApiKeys,
  selectCampaigns,
  selectMembers,
  selectOauthClients,
  selectPhoneNumbers,
  selectUsers,
  selectWorkspaces,
} from '../admin-queries.ts'

type Rows = Promise<NonNullable<Result['rows']>>

const list = (name: string, summary: string, select: (db: Db) => Rows) =>
  defineCommand({ name, summary, options: {}, run: async ({ db }) => ({ rows: await select(db) }) })

const listOfWorkspace = (name: string, summary: string, select: (db: Db, workspaceId: number) => Rows) =>
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
  list('list-users', 'Lists the people who can sign in.', selectUsers),
  list('list-workspaces', 'Lists the workspaces.', selectWorkspaces),
  list('list-oauth-clients', 'Lists the apps that were registered.', selectOauthClients),
  listOfWorkspace('list-members', 'Lists the members of a workspace.', selectMembers),
  listOfWorkspace('list-api-keys', 'Lists the API keys of a workspace, by their beginnings.', selectApiKeys),
  listOfWorkspace('list-agents', 'Lists the agents of a workspace.', selectAgents),
  listOfWorkspace('list-phone-numbers', 'Lists the phone numbers of a workspace.', selectPhoneNumbers),
  listOfWorkspace('list-campaigns', 'Lists the campaigns of a workspace.', selectCampaigns),
]
