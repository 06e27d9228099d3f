import { text as readAll } from 'node:stream/consumers'
import { addDocument } from '../../knowledge/add-document.ts'
import { createSpreadsheet } from '../../spreadsheets/create-spreadsheet.ts'
import { defineCommand, repeated, required, text } from '../command.ts'
import { requireWorkspace } from '../find.ts'
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

export const createSpreadsheetCommand = defineCommand({
  name: 'create-spreadsheet',
  summary: 'Makes a spreadsheet that is kept here, for the tool spreadsheet_append.',
  options: {
    workspace: workspaceOption,
    name: required(text, 'NAME', 'how it is called'),
    column: repeated('NAME', 'a column'),
  },
  run: async (deps, { workspace, name, column: columns }) => {
    await requireWorkspace(deps, workspace)
    const { id } = await createSpreadsheet(deps)(workspace, { name, columns })
    return { record: { spreadsheet_id: id }, note: 'Name this id in the configuration of assign-tool.' }
  },
})
