import * as z from 'zod'
import { assignTool, unassignTool } from '../../tools/assignments.ts'
import { deleteTool, listTools, setToolActive } from '../../tools/tool-catalog.ts'
import { type Command, defineCommand, optional, required } from '../command.ts'
import { idOption, requireWorkspace, workspaceOption } from '../command-options.ts'

const toolOption = idOption('the tool: see list-tools')
const agentOption = idOption('the agent: see list-agents')
const sessionNotice = 'Sessions that run notice within half a minute.'

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
    config: optional(Config, 'JSON', `for this agent, such as '{"spreadsheet_id": "…"}'`),
  },
  run: async (deps, { workspace, agent, tool, config = {} }) => {
    await assignTool(deps, workspace, agent, tool, config)
    return { note: `The agent ${agent} has the tool ${tool}. ${sessionNotice}` }
  },
})

const unassignToolCommand = defineCommand({
  name: 'unassign-tool',
  summary: 'Takes a tool away from an agent.',
  options: { workspace: workspaceOption, agent: agentOption, tool: toolOption },
  run: async (deps, { workspace, agent, tool }) => {
    await unassignTool(deps, workspace, agent, tool)
    return { note: `The agent ${agent} has the tool ${tool} no longer. ${sessionNotice}` }
  },
})

const setToolActiveCommand = defineCommand({
  name: 'set-tool-active',
  summary: 'Switches a tool on or off for all agents that have it.',
  options: {
    workspace: workspaceOption,
    tool: toolOption,
    active: required(z.enum(['yes', 'no']), 'YES|NO', 'yes or no'),
  },
  run: async (deps, { workspace, tool, active }) => {
    await setToolActive(deps, workspace, tool, active === 'yes')
    return { note: `The tool ${tool} is ${active === 'yes' ? 'on' : 'off'}. ${sessionNotice}` }
  },
})

const deleteToolCommand = defineCommand({
  name: 'delete-tool',
  summary: 'Deletes an HTTP tool or a remote MCP server, also from the agents that have it.',
  options: { workspace: workspaceOption, tool: toolOption },
  run: async (deps, { workspace, tool }) => {
    await deleteTool(deps, workspace, tool)
    return { note: `The tool ${tool} is deleted. ${sessionNotice}` }
  },
})

export const listToolsCommand = defineCommand({
  name: 'list-tools',
  summary: 'Lists the tools of a workspace, and the agents that have them.',
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
