import { text as readAll } from 'node:stream/consumers'
import * as z from 'zod'
import { removeMember } from '../../access/remove-member.ts'
import { revokeApiKey } from '../../access/revoke-connection.ts'
import { createApiKey } from '../../identity/api-keys.ts'
import { addMember } from '../../identity/members.ts'
import { createResetLink } from '../../identity/password-resets.ts'
import { createUser } from '../../identity/users.ts'
import { createOauthClient } from '../../oauth/create-oauth-client.ts'
import { createWorkspace } from '../../onboarding/onboarding.ts'
import { randomToken } from '../../secrets/tokens.ts'
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
  summary: 'Makes a workspace, with its owner.',
  options: {
    name: required(text, 'NAME', 'how it is called'),
    owner: required(text, 'ADDRESS', 'its first member, by the address they sign in with'),
    country: optional(text, 'CODE', 'how national phone numbers are read: ISO 3166-1, US by default'),
    'time-zone': optional(
      text,
      'ZONE',
      'the default of campaigns: an IANA name, America/New_York by default',
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
  summary: 'Adds a person who can sign in. The password is made and shown once, or read from standard input.',
  options: {
    email: required(text, 'ADDRESS', 'how they sign in'),
    name: required(text, 'NAME', 'how they are called'),
    'password-stdin': flag('read the password from standard input instead of making one'),
  },
  run: async (deps, { email, name, 'password-stdin': fromStdin }, input): Promise<CommandResult> => {
    const password = fromStdin ? (await readAll(input)).replace(/\r?\n$/, '') : randomToken(15)
    const { id } = await createUser(deps, { email, name, password })
    if (fromStdin) return { record: { user_id: id, email } }
    return { record: { user_id: id, email, password }, note: 'Keep the password: it is not shown again.' }
  },
})

const addMemberCommand = defineCommand({
  name: 'add-member',
  summary: 'Lets a person work in a workspace, or changes their role.',
  options: {
    workspace: workspaceOption,
    email: emailOption,
    role: optional(z.enum(['owner', 'member']), 'ROLE', 'owner or member, which is the default'),
  },
  run: async (deps, { workspace, email, role = 'member' }) => {
    await requireWorkspace(deps, workspace)
    await addMember(deps, workspace, await requireUserId(deps, email), role)
    return { record: { workspace_id: workspace, email, role } }
  },
})

const removeMemberCommand = defineCommand({
  name: 'remove-member',
  summary: 'Ends a membership, with the connections, API keys and webhooks of that person there.',
  options: { workspace: workspaceOption, email: emailOption },
  run: async (deps, { workspace, email }) => {
    await removeMember(deps, workspace, await requireUserId(deps, email))
    return { note: `${email} is no member of workspace ${workspace} any more.` }
  },
})

const resetPasswordLinkCommand = defineCommand({
  name: 'reset-password-link',
  summary: 'Makes a link by which a person sets a new password. It ends their sessions when it is used.',
  options: { email: emailOption },
  run: async (deps, { email }) => {
    const { link, expiresAt } = await createResetLink(deps, await requireUserId(deps, email))
    return {
      record: { email, link, expires_at: expiresAt },
      note: 'Anyone with this link can sign in as this user. It works once, within 24 hours, and is not shown again.',
    }
  },
})

const createApiKeyCommand = defineCommand({
  name: 'create-api-key',
  summary: 'Makes a personal API key. It is shown once.',
  options: {
    workspace: workspaceOption,
    email: emailOption,
    name: required(text, 'NAME', 'what it is for'),
  },
  run: async (deps, { workspace, email, name }) => {
    const userId = await requireUserId(deps, email)
    const { id, key } = await createApiKey(deps, workspace, userId, name)
    return { record: { api_key_id: id, api_key: key }, note: 'Keep the key: it is not shown again.' }
  },
})

const revokeApiKeyCommand = defineCommand({
  name: 'revoke-api-key',
  summary: 'Ends a personal API key, and its webhooks with it.',
  options: { workspace: workspaceOption, id: idOption('the key: see list-api-keys') },
  run: async (deps, { workspace, id }) => {
    await revokeApiKey(deps, workspace, id)
    return { note: `The API key ${id} is revoked.` }
  },
})

const createOauthClientCommand = defineCommand({
  name: 'create-oauth-client',
  summary:
    'Registers an app, such as Zapier, that people can connect their workspace to. Its secret is shown once.',
  options: {
    name: required(text, 'NAME', 'how the consent page calls it'),
    'redirect-uri': repeated('URI', 'where it takes people back: https, or http on localhost, exactly'),
    public: flag('it cannot keep a secret: an app in a browser or on a phone'),
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
      note: 'Keep the secret: it is not shown again.',
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
