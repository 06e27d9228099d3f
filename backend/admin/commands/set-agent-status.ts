import * as z from 'zod'
import { setAgentStatus } from '../../agents/agents.ts'
import { defineCommand, required } from '../command.ts'
import { idOption, workspaceOption } from '../options.ts'

export const setAgentStatusCommand = defineCommand({
  name: 'set-agent-status',
  summary: 'Makes an agent Live, or pauses it: its calls wait until it is Live again.',
  options: {
    workspace: workspaceOption,
    id: idOption('the agent: see list-agents'),
    status: required(z.enum(['live', 'paused']), 'STATUS', 'live or paused'),
  },
  run: async (deps, { workspace, id, status }) => {
    await setAgentStatus(deps)({ workspaceId: workspace, agentId: id }, status)
    return { note: `The agent ${id} is ${status}.` }
  },
})
