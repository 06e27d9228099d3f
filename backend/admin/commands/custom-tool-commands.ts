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

const serverOption = idOption('tool ID of the server (see list-tools)')
const sessionNotice = 'Open tool sessions use the change within 30 seconds.'

const addRemoteServerCommand = defineCommand({
  name: 'add-remote-server',
  summary: 'Adds the tools of a remote MCP server. Reads its JSON description from standard input.',
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
  summary:
    'Changes a remote MCP server and refreshes its tool list. Reads the changes as JSON from standard input.',
  options: { workspace: workspaceOption, tool: serverOption },
  run: async (deps, { workspace, tool }, input) => {
    await editRemoteServer(deps, workspace, tool, await readToolDescription(input, RemoteServerChange))
    return { note: `Server updated. ${sessionNotice}` }
  },
})

const refreshRemoteServerCommand = defineCommand({
  name: 'refresh-remote-server',
  summary: 'Refreshes the tool list of a remote MCP server.',
  options: { workspace: workspaceOption, tool: serverOption },
  run: async (deps, { workspace, tool }) => {
    const { tools, dropped, others } = await refreshRemoteServer(deps, workspace, tool)
    return { record: { tools, dropped, others }, note: sessionNotice }
  },
})

const addHttpToolCommand = defineCommand({
  name: 'add-http-tool',
  summary: 'Adds a tool that sends an HTTP request. Reads its JSON description from standard input.',
  options: { workspace: workspaceOption },
  run: async (deps, { workspace }, input) => {
    await requireWorkspace(deps, workspace)
    const { id } = await addHttpTool(deps, workspace, await readToolDescription(input, HttpToolDescription))
    return { record: { tool_id: id } }
  },
})

const editHttpToolCommand = defineCommand({
  name: 'edit-http-tool',
  summary:
    'Changes an HTTP tool. Reads the changes as JSON from standard input. Omitted fields stay unchanged.',
  options: { workspace: workspaceOption, tool: idOption('tool ID (see list-tools)') },
  run: async (deps, { workspace, tool }, input) => {
    await editHttpTool(deps, workspace, tool, await readToolDescription(input, HttpToolChange))
    return { note: `Tool updated. ${sessionNotice}` }
  },
})

export const customToolCommands: readonly Command[] = [
  addHttpToolCommand,
  editHttpToolCommand,
  addRemoteServerCommand,
  editRemoteServerCommand,
  refreshRemoteServerCommand,
]
