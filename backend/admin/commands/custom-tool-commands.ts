import { addHttpTool, editHttpTool } from '../../tools/save-http-tool.ts'
import { addRemoteServer, editRemoteServer, refreshRemoteServer } from '../../tools/save-remote-server.ts'
import { type Command, defineCommand } from '../command.ts'
import { idOption, requireWorkspace, workspaceOption } from '../command-options.ts'
import {
  HttpToolChange,
  HttpToolDescription,
  readToolDescription,
  RemoteServerChange,
  RemoteServerDescription,
} from '../tool-descriptions.ts'

const serverOption = idOption('the server, by the id of its tool')
const serverNotice = 'Sessions that run use it within half a minute.'

const addRemoteServerCommand = defineCommand({
  name: 'add-remote-server',
  summary: 'Adds the tools of another MCP server, described in JSON on standard input.',
  options: { workspace: workspaceOption },
  run: async (deps, { workspace }, input) => {
    await requireWorkspace(deps, workspace)
    const { id } = await addRemoteServer(
      deps,
      workspace,
      await readToolDescription(input, RemoteServerDescription),
    )
    return { record: { tool_id: id } }
  },
})

const editRemoteServerCommand = defineCommand({
  name: 'edit-remote-server',
  summary: 'Changes a remote MCP server from JSON on standard input, and updates its list of tools.',
  options: { workspace: workspaceOption, tool: serverOption },
  run: async (deps, { workspace, tool }, input) => {
    await editRemoteServer(deps, workspace, tool, await readToolDescription(input, RemoteServerChange))
    return { note: `The server is changed. ${serverNotice}` }
  },
})

const refreshRemoteServerCommand = defineCommand({
  name: 'refresh-remote-server',
  summary: 'Updates the list of tools of a remote MCP server.',
  options: { workspace: workspaceOption, tool: serverOption },
  run: async (deps, { workspace, tool }) => {
    const { tools, dropped, others } = await refreshRemoteServer(deps, workspace, tool)
    return { record: { tools, dropped, others }, note: serverNotice }
  },
})

const addHttpToolCommand = defineCommand({
  name: 'add-http-tool',
  summary: 'Adds a tool that sends an HTTP request, described in JSON on standard input.',
  options: { workspace: workspaceOption },
  run: async (deps, { workspace }, input) => {
    await requireWorkspace(deps, workspace)
    const { id } = await addHttpTool(deps, workspace, await readToolDescription(input, HttpToolDescription))
    return { record: { tool_id: id } }
  },
})

const editHttpToolCommand = defineCommand({
  name: 'edit-http-tool',
  summary: 'Changes an HTTP tool by JSON on standard input. What is left out stays.',
  options: { workspace: workspaceOption, tool: idOption('the tool') },
  run: async (deps, { workspace, tool }, input) => {
    await editHttpTool(deps, workspace, tool, await readToolDescription(input, HttpToolChange))
    return { note: 'The tool is changed. Sessions that run use it within half a minute.' }
  },
})

export const customToolCommands: readonly Command[] = [
  addHttpToolCommand,
  editHttpToolCommand,
  addRemoteServerCommand,
  editRemoteServerCommand,
  refreshRemoteServerCommand,
]
