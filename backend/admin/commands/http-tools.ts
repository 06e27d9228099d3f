import { addHttpTool } from '../../tools/general/add-http-tool.ts'
import { editHttpTool } from '../../tools/save-http-tool.ts'
import { defineCommand } from '../command.ts'
import { requireWorkspace } from '../command-options.ts'
import { idOption, workspaceOption } from '../options.ts'
import { readToolDescription } from '../read-description.ts'
import { HttpToolChange, HttpToolDescription } from '../tool-descriptions.ts'

export const addHttpToolCommand = defineCommand({
  name: 'add-http-tool',
  summary: 'Adds a tool that sends an HTTP request, described in JSON on standard input.',
  options: { workspace: workspaceOption },
  run: async (deps, { workspace }, input) => {
    await requireWorkspace(deps, workspace)
    const { id } = await addHttpTool(deps)(workspace, await readToolDescription(input, HttpToolDescription))
    return { record: { tool_id: id } }
  },
})

export const editHttpToolCommand = defineCommand({
  name: 'edit-http-tool',
  summary: 'Changes an HTTP tool by JSON on standard input. What is left out stays.',
  options: { workspace: workspaceOption, tool: idOption('the tool') },
  run: async (deps, { workspace, tool }, input) => {
    await editHttpTool(deps)(workspace, tool, await readToolDescription(input, HttpToolChange))
    return { note: 'The tool is changed. Sessions that run use it within half a minute.' }
  },
})
