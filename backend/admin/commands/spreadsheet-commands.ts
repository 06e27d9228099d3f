import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '../../core/errors.ts'
import {
  getGoogleAccount,
  removeGoogleAccount,
  saveGoogleAccount,
} from '../../spreadsheets/google-account.ts'
import {
  createSpreadsheet,
  deleteSpreadsheet,
  exportSpreadsheet,
  listSpreadsheets,
} from '../../spreadsheets/spreadsheets.ts'
import { type Command, defineCommand, optional, repeated, required, text, UsageError } from '../command.ts'
import { requireWorkspace, workspaceOption } from '../command-options.ts'

const spreadsheetOption = required(text, 'ID', 'the spreadsheet: see list-spreadsheets')

const createSpreadsheetCommand = defineCommand({
  name: 'create-spreadsheet',
  summary: 'Makes a spreadsheet that is kept here, for the tool spreadsheet_append.',
  options: {
    workspace: workspaceOption,
    name: required(text, 'NAME', 'how it is called'),
    column: repeated('NAME', 'a column'),
  },
  run: async (deps, { workspace, name, column: columns }) => {
    await requireWorkspace(deps, workspace)
    const { id } = await createSpreadsheet(deps, workspace, { name, columns })
    return { record: { spreadsheet_id: id }, note: 'Name this id in the configuration of assign-tool.' }
  },
})

export const listSpreadsheetsCommand = defineCommand({
  name: 'list-spreadsheets',
  summary: 'Lists the spreadsheets of a workspace that are kept here.',
  options: { workspace: workspaceOption },
  run: async (deps, { workspace }) => {
    await requireWorkspace(deps, workspace)
    const account = await getGoogleAccount(deps, workspace)
    const listed = await listSpreadsheets(deps, workspace)
    const rows = listed.map(({ created_at, ...row }) => ({ ...row, created_at }))
    return { rows, ...(account && { note: `Google's are those shared with ${account.clientEmail}.` }) }
  },
})

const exportSpreadsheetCommand = defineCommand({
  name: 'export-spreadsheet',
  summary: 'Writes a spreadsheet that is kept here as CSV.',
  options: {
    workspace: workspaceOption,
    id: spreadsheetOption,
    to: optional(text, 'FILE', 'where to; standard output by default'),
  },
  run: async (deps, { workspace, id, to }) => {
    const { name, parts } = await exportSpreadsheet(deps, workspace, id)
    if (to === undefined) return { parts }
    await writeFile(to, parts)
    return { note: `The spreadsheet ${name} is in ${to}.` }
  },
})

async function writeFile(file: string, parts: AsyncIterable<string>): Promise<void> {
  const stream = createWriteStream(file)
  await pipeline(parts, stream).catch((error: unknown) => {
    if (!fileErrors.has(errorCode(error))) throw error
    throw new UsageError(`--to: ${file} cannot be written (${errorCode(error)}).`)
  })
}

/** Of the file; those of the database have other codes. */
const fileErrors = new Set(['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'EPERM', 'EROFS', 'ENOSPC'])

const deleteSpreadsheetCommand = defineCommand({
  name: 'delete-spreadsheet',
  summary: 'Deletes a spreadsheet that is kept here, with all of its rows.',
  options: { workspace: workspaceOption, id: spreadsheetOption },
  run: async (deps, { workspace, id }) => {
    await deleteSpreadsheet(deps, workspace, id)
    return { note: `The spreadsheet ${id} is deleted.` }
  },
})

const setGoogleAccountCommand = defineCommand({
  name: 'set-google-account',
  summary:
    'Keeps the Google service account by which agents write to Google Sheets, in the place of an earlier one.',
  options: {
    workspace: workspaceOption,
    file: optional(text, 'FILE', 'its JSON key file, as Google gives it out; standard input by default'),
  },
  run: async (deps, { workspace, file }, input) => {
    await requireWorkspace(deps, workspace)
    const keyFile = await (file === undefined ? readAll(input) : readKeyFile(file))
    const { clientEmail } = await saveGoogleAccount(deps, workspace, keyFile)
    return {
      record: { client_email: clientEmail },
      note: `Share spreadsheets with ${clientEmail} as an editor. The key file is not needed any longer.`,
    }
  },
})

const readKeyFile = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--file: ${file} cannot be read (${errorCode(error)}).`)
  })

const removeGoogleAccountCommand = defineCommand({
  name: 'remove-google-account',
  summary:
    'Forgets the Google service account of a workspace: its agents write to no Google spreadsheet any more.',
  options: { workspace: workspaceOption },
  run: async (deps, { workspace }) => {
    await removeGoogleAccount(deps, workspace)
    return { note: 'The key is forgotten here. In Google it is valid until it is deleted there.' }
  },
})

export const spreadsheetCommands: readonly Command[] = [
  createSpreadsheetCommand,
  exportSpreadsheetCommand,
  deleteSpreadsheetCommand,
  setGoogleAccountCommand,
  removeGoogleAccountCommand,
]
