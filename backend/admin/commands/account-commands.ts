import { createWorkspace } from '../../onboarding/create-workspace.ts'
import { defineCommand, optional, required, text } from '../command.ts'
import { requireUserId } from '../command-options.ts'

export const createWorkspaceCommand = defineCommand({
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
    const { id } = await createWorkspace(deps)({ name, country, timeZone, ownerId })
    return { record: { workspace_id: id, name, owner } }
  },
})
