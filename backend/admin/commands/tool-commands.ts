import * as z from 'zod'
import { assignTool, unassignTool } from '../../tools/assignments.ts'
import { deleteTool, listTools, setToolActive } from '../../tools/tool-catalog.ts'
import { type Command, defineCommand, optional, required } from '../command.ts'
import { idOption, requireWorkspace, workspaceOption } from '../command-options.ts'

const toolOption = idOption('tool ID (see list-tools)')
const agentOption = idOption('agent ID (see list-agents)')
const sessionNotice = 'Open tool sessions use the change within 30 seconds.'

const Config = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' })
    return z.NEVER
  }
})

const assignToolCommand = defineCommand({
  name: 'assign-tool',
  summary: 'Assigns a tool to an agent, or changes its configuration.',
  options: {
    workspace: workspaceOption,
    agent: agentOption,
    tool: toolOption,
    config: optional(Config, 'JSON', `configuration for this agent, for example '{"spreadsheet_id": "…"}'`),
  },
  run: async (deps, { workspace, agent, tool, config = {} }) => {
    await assignTool(deps, workspace, agent, tool, config)
    return { note: `Tool ${tool} assigned to agent ${agent}. ${sessionNotice}` }
  },
})

const unassignToolCommand = defineCommand({
  name: 'unassign-tool',
  summary: 'Removes a tool from an agent.',
  options: { workspace: workspaceOption, agent: agentOption, tool: toolOption },
  run: async (deps, { workspace, agent, tool }) => {
    await unassignTool(deps, workspace, agent, tool)
    return { note: `Tool ${tool} removed from agent ${agent}. ${sessionNotice}` }
  },
})

const setToolActiveCommand = defineCommand({
  name: 'set-tool-active',
  summary: 'Turns a tool on or off for all agents that have it.',
  options: {
    workspace: workspaceOption,
    tool: toolOption,
    active: required(z.enum(['yes', 'no']), 'YES|NO', 'yes or no'),
  },
  run: async (deps, { workspace, tool, active }) => {
    await setToolActive(deps, workspace, tool, active === 'yes')
    return { note: `Tool ${tool} is now ${active === 'yes' ? 'on' : 'off'}. ${sessionNotice}` }
  },
})

const deleteToolCommand = defineCommand({
  name: 'delete-tool',
  summary: 'Deletes an HTTP tool or a remote MCP server, and removes it from all agents.',
  options: { workspace: workspaceOption, tool: toolOption },
  run: async (deps, { workspace, tool }) => {
    await deleteTool(deps, workspace, tool)
    return { note: `Tool ${tool} deleted. ${sessionNotice}` }
  },
})

export const listToolsCommand = defineCommand({
  name: 'list-tools',
  summary: 'Lists the tools of a workspace and the agents that have them.',
  options: { workspace: workspaceOption },
  run: async (deps, { workspace }) => {
    await requireWorkspace(deps, workspace)
    const tools = await listTools(deps, workspace)
    return {
      rows: tools.map(({ id, kind, name, isActive, agents }) => ({
        ...{ id, name, kind },
        active: isActive,
        agents: agents.map(String),
      })),
    }
  },
})

export const toolCommands: readonly Command[] = [
  assignToolCommand,
  unassignToolCommand,
  setToolActiveCommand,
  deleteToolCommand,
]
