import { revokeApiKey } from '../../access/revoke-connection.ts'
import { defineCommand } from '../command.ts'
import { idOption, workspaceOption } from '../options.ts'

export const revokeApiKeyCommand = defineCommand({
  name: 'revoke-api-key',
  summary: 'Ends a personal API key, and its webhooks with it.',
  options: { workspace: workspaceOption, id: idOption('the key: see list-api-keys') },
  run: async (deps, { workspace, id }) => {
    await revokeApiKey(deps)({ workspaceId: workspace, apiKeyId: id })
    return { note: `The API key ${id} is revoked.` }
  },
})
