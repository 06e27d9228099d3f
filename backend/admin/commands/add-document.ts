import { text as readAll } from 'node:stream/consumers'
import { addDocument } from '../../knowledge/add-document.ts'
import { defineCommand, required, text } from '../command.ts'
import { requireWorkspace } from '../command-options.ts'
import { workspaceOption } from '../options.ts'

export const addDocumentCommand = defineCommand({
  name: 'add-document',
  summary: 'Adds plain text on standard input to what the agents of a workspace can search.',
  options: {
    workspace: workspaceOption,
    title: required(text, 'TITLE', 'how the document is called: agents name it where they quote it'),
  },
  run: async (deps, { workspace, title }, input) => {
    await requireWorkspace(deps, workspace)
    const { id } = await addDocument(deps)(workspace, { title, body: await readAll(input) })
    return { record: { document_id: id } }
  },
})
