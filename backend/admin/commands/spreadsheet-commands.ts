import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '../../platform/core/errors.ts'
import {
  getGoogleAccount,
  removeGoogleAccount,
  saveGoogleAccount,
} from '../../tools/spreadsheets/google-account.ts'
import {
  createSpreadsheet,
  deleteSpreadsheet,
  exportSpreadsheet,
  listSpreadsheets,
} from '../../tools/spreadsheets/spreadsheets.ts'
import { type Command, defineCommand, optional, repeated, required, text, UsageError } from '../command.ts'
import { requireWorkspace, workspaceOption } from '../command-options.ts'

const spreadsheetOption = required(text, 'ID', 'spreadsheet ID (see list-spreadsheets)')

const createSpreadsheetCommand = defineCommand({
  name: 'create-spreadsheet',
  summary: 'Creates a spreadsheet in Outdial. Agents add rows to it with the tool spreadsheet_append.',
  options: {
    workspace: workspaceOption,
    name: required(text, 'NAME', 'name of the spreadsheet'),
    column: repeated('NAME', 'name of a column'),
  },
  run: async (deps, { workspace, name, column: columns }) => {
    await requireWorkspace(deps, workspace)
    const { id } = await createSpreadsheet(deps, workspace, { name, columns })
    return {
      record: { spreadsheet_id: id },
      note: 'To let an agent use it, pass this ID as spreadsheet_id in the --config of assign-tool.',
    }
  },
})

export const listSpreadsheetsCommand = defineCommand({
  name: 'list-spreadsheets',
  summary: "Lists a workspace's Outdial spreadsheets.",
  options: { workspace: workspaceOption },
  run: async (deps, { workspace }) => {
    await requireWorkspace(deps, workspace)
    const account = await getGoogleAccount(deps, workspace)
    const listed = await listSpreadsheets(deps, workspace)
    const rows = listed.map(({ created_at, ...row }) => ({ ...row, created_at }))
    return {
      rows,
      ...(account && {
        note: `Agents can also use Google spreadsheets that are shared with ${account.clientEmail}.`,
      }),
    }
  },
})

const exportSpreadsheetCommand = defineCommand({
  name: 'export-spreadsheet',
  summary: 'Exports an Outdial spreadsheet as CSV.',
  options: {
    workspace: workspaceOption,
    id: spreadsheetOption,
    to: optional(text, 'FILE', 'file to write; standard output by default'),
  },
  run: async (deps, { workspace, id, to }) => {
    const { name, parts } = await exportSpreadsheet(deps, workspace, id)
    if (to === undefined) return { parts }
    await writeFile(to, parts)
    return { note: `Spreadsheet ${name} exported to ${to}.` }
  },
})

async function writeFile(file: string, parts: AsyncIterable<string>): Promise<void> {
  const stream = createWriteStream(file)
  await pipeline(parts, stream).catch((error: unknown) => {
    if (!fileErrors.has(errorCode(error))) throw error
    throw new UsageError(`--to: can't write ${file} (${errorCode(error)}). Check the path.`)
  })
}

/** Codes of file errors, which distinguish them from errors of the database. */
const fileErrors = new Set(['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'EPERM', 'EROFS', 'ENOSPC'])

const deleteSpreadsheetCommand = defineCommand({
  name: 'delete-spreadsheet',
  summary: 'Deletes an Outdial spreadsheet with all of its rows.',
  options: { workspace: workspaceOption, id: spreadsheetOption },
  run: async (deps, { workspace, id }) => {
    await deleteSpreadsheet(deps, workspace, id)
    return { note: `Spreadsheet ${id} deleted.` }
  },
})

const setGoogleAccountCommand = defineCommand({
  name: 'set-google-account',
  summary: 'Saves or replaces the Google service account that agents use for Google Sheets.',
  options: {
    workspace: workspaceOption,
    file: optional(text, 'FILE', 'JSON key file from Google; standard input by default'),
  },
  run: async (deps, { workspace, file }, input) => {
    await requireWorkspace(deps, workspace)
    const keyFile = await (file === undefined ? readAll(input) : readKeyFile(file))
    const { clientEmail } = await saveGoogleAccount(deps, workspace, keyFile)
    return {
      record: { client_email: clientEmail },
      note: `Share spreadsheets with ${clientEmail} as an editor. You no longer need the key file.`,
    }
  },
})

const readKeyFile = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--file: can't read ${file} (${errorCode(error)}). Check the path.`)
  })

const removeGoogleAccountCommand = defineCommand({
  name: 'remove-google-account',
  summary: "Removes a workspace's Google service account. Agents can no longer write to Google Sheets.",
  options: { workspace: workspaceOption },
  run: async (deps, { workspace }) => {
    await removeGoogleAccount(deps, workspace)
    return { note: 'Key deleted from Outdial. It stays valid at Google until you delete it there.' }
  },
})

export const spreadsheetCommands: readonly Command[] = [
  createSpreadsheetCommand,
  exportSpreadsheetCommand,
  deleteSpreadsheetCommand,
  setGoogleAccountCommand,
  removeGoogleAccountCommand,
]
