import { createApiKey } from '../../identity/api-keys.ts'
import { defineCommand, required, text } from '../command.ts'
import { requireUserId } from '../command-options.ts'
import { emailOption, workspaceOption } from '../options.ts'

export const createApiKeyCommand = defineCommand({
  name: 'create-api-key',
  summary: 'Makes a personal API key. It is shown once.',
  options: {
    workspace: workspaceOption,
    email: emailOption,
    name: required(text, 'NAME', 'what it is for'),
  },
  run: async (deps, { workspace, email, name }) => {
    const userId = await requireUserId(deps, email)
    const { id, key } = await createApiKey(deps)({ workspaceId: workspace, userId, name })
    return { record: { api_key_id: id, api_key: key }, note: 'Keep the key: it is not shown again.' }
  },
})
