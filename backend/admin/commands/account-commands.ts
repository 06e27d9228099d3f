import { text as readAll } from 'node:stream/consumers'
import * as z from 'zod'
import { removeMember } from '../../accounts/access/remove-member.ts'
import { revokeApiKey } from '../../accounts/access/revoke-connection.ts'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { addMember } from '../../accounts/identity/members.ts'
import { createResetLink } from '../../accounts/identity/password-resets.ts'
import { createUser } from '../../accounts/identity/users.ts'
import { createOauthClient } from '../../accounts/oauth/create-oauth-client.ts'
import { randomToken } from '../../platform/secrets/tokens.ts'
import { createWorkspace } from '../../tools/onboarding/onboarding.ts'
import {
  type Command,
  type CommandResult,
  defineCommand,
  flag,
  optional,
  repeated,
  required,
  text,
} from '../command.ts'
import {
  emailOption,
  idOption,
  requireUserId,
  requireWorkspace,
  workspaceOption,
} from '../command-options.ts'

const createWorkspaceCommand = defineCommand({
  name: 'create-workspace',
  summary: 'Creates a workspace with an existing user as its owner.',
  options: {
    name: required(text, 'NAME', 'name of the workspace'),
    owner: required(text, 'ADDRESS', 'email address of the owner'),
    country: optional(
      text,
      'CODE',
      "two-letter code of the workspace's country, used for phone numbers that don't start with +; US by default",
    ),
    'time-zone': optional(
      text,
      'ZONE',
      'time zone of new campaigns (IANA name); America/New_York by default',
    ),
  },
  run: async (deps, { name, owner, country = 'US', 'time-zone': timeZone = 'America/New_York' }) => {
    const ownerId = await requireUserId(deps, owner)
    const { id } = await createWorkspace(deps, { name, country, timeZone, ownerId })
    return { record: { workspace_id: id, name, owner } }
  },
})

const createUserCommand = defineCommand({
  name: 'create-user',
  summary: 'Creates a user. Generates a password and shows it once, or reads one from standard input.',
  options: {
    email: required(text, 'ADDRESS', 'email address to sign in with'),
    name: required(text, 'NAME', 'name of the user'),
    'password-stdin': flag('read the password from standard input instead of generating one'),
  },
  run: async (deps, { email, name, 'password-stdin': fromStdin }, input): Promise<CommandResult> => {
    const password = fromStdin ? (await readAll(input)).replace(/\r?\n$/, '') : randomToken(15)
    const { id } = await createUser(deps, { email, name, password })
    if (fromStdin) return { record: { user_id: id, email } }
    return { record: { user_id: id, email, password }, note: "Save the password. It won't be shown again." }
  },
})

const addMemberCommand = defineCommand({
  name: 'add-member',
  summary: 'Adds a user to a workspace, or changes their role.',
  options: {
    workspace: workspaceOption,
    email: emailOption,
    role: optional(z.enum(['owner', 'member']), 'ROLE', 'owner or member; member by default'),
  },
  run: async (deps, { workspace, email, role = 'member' }) => {
    await requireWorkspace(deps, workspace)
    await addMember(deps, workspace, await requireUserId(deps, email), role)
    return { record: { workspace_id: workspace, email, role } }
  },
})

const removeMemberCommand = defineCommand({
  name: 'remove-member',
  summary: 'Removes a member from a workspace, with their connections, API keys, and webhooks there.',
  options: { workspace: workspaceOption, email: emailOption },
  run: async (deps, { workspace, email }) => {
    await removeMember(deps, workspace, await requireUserId(deps, email))
    return { note: `${email} removed from workspace ${workspace}.` }
  },
})

const resetPasswordLinkCommand = defineCommand({
  name: 'reset-password-link',
  summary: "Creates a link to set a new password. Using it ends all of the user's sign-in sessions.",
  options: { email: emailOption },
  run: async (deps, { email }) => {
    const { link, expiresAt } = await createResetLink(deps, await requireUserId(deps, email))
    return {
      record: { email, link, expires_at: expiresAt },
      note: "Anyone with this link can sign in as this user. It works once, for 24 hours, and won't be shown again.",
    }
  },
})

const createApiKeyCommand = defineCommand({
  name: 'create-api-key',
  summary: 'Creates a personal API key and shows it once.',
  options: {
    workspace: workspaceOption,
    email: emailOption,
    name: required(text, 'NAME', 'what the key is for'),
  },
  run: async (deps, { workspace, email, name }) => {
    const userId = await requireUserId(deps, email)
    const { id, key } = await createApiKey(deps, workspace, userId, name)
    return { record: { api_key_id: id, api_key: key }, note: "Save the key. It won't be shown again." }
  },
})

const revokeApiKeyCommand = defineCommand({
  name: 'revoke-api-key',
  summary: 'Revokes a personal API key and ends its webhook subscriptions.',
  options: { workspace: workspaceOption, id: idOption('API key ID (see list-api-keys)') },
  run: async (deps, { workspace, id }) => {
    await revokeApiKey(deps, workspace, id)
    return { note: `API key ${id} revoked.` }
  },
})

const createOauthClientCommand = defineCommand({
  name: 'create-oauth-client',
  summary:
    'Registers an app, such as Zapier, that users can connect to their workspace. Shows its secret once.',
  options: {
    name: required(text, 'NAME', 'name of the app on the consent page'),
    'redirect-uri': repeated('URI', "the app's exact redirect URI: https, or http on localhost"),
    public: flag("the app can't keep a secret, because it runs in a browser or on a phone"),
  },
  run: async (deps, { name, 'redirect-uri': redirectUris, public: isPublic }): Promise<CommandResult> => {
    const client = await createOauthClient(deps, {
      name,
      redirect_uris: redirectUris,
      confidential: !isPublic,
    })
    if (client.clientSecret === null) return { record: { client_id: client.clientId } }
    return {
      record: { client_id: client.clientId, client_secret: client.clientSecret },
      note: "Save the secret. It won't be shown again.",
    }
  },
})

export const accountCommands: readonly Command[] = [
  createUserCommand,
  createWorkspaceCommand,
  addMemberCommand,
  removeMemberCommand,
  resetPasswordLinkCommand,
  createApiKeyCommand,
  revokeApiKeyCommand,
  createOauthClientCommand,
]
