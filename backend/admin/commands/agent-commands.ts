import { createAgent } from '../../agents/create.ts'
import { defineCommand, flag, optional, repeated, required, text } from '../command.ts'
import { requireWorkspace } from '../command-options.ts'
import { workspaceOption } from '../options.ts'

export const createAgentCommand = defineCommand({
  name: 'create-agent',
  summary: 'Makes a voice agent: a draft, or Live at once.',
  options: {
    workspace: workspaceOption,
    name: required(text, 'NAME', 'how the lists call it'),
    language: optional(text, 'TAG', 'BCP 47, en-US by default'),
    greeting: optional(text, 'TEXT', 'its first sentence; {{first_name}} and the variables can stand in it'),
    variable: repeated('NAME', 'what its script uses of the data of a contact'),
    live: flag('campaigns can use it at once'),
  },
  run: async (deps, { workspace, name, language, greeting = '', variable, live }) => {
    await requireWorkspace(deps, workspace)
    const status = live ? 'live' : 'draft'
    const agent = await createAgent(deps)(workspace, {
      name,
      language,
      greeting,
      variables: variable,
      status,
    })
    return { record: { agent_id: agent.id, status: agent.status, widget_id: agent.widget_id } }
  },
})
