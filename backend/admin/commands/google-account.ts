import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { errorCode } from '../../error-code.ts'
import { removeGoogleAccount } from '../../spreadsheets/remove-google-account.ts'
import { saveGoogleAccount } from '../../spreadsheets/google-account.ts'
import { defineCommand, optional, text, UsageError } from '../command.ts'
import { requireWorkspace } from '../command-options.ts'
import { workspaceOption } from '../options.ts'

export const setGoogleAccountCommand = defineCommand({
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
    const { clientEmail } = await saveGoogleAccount(deps)(workspace, keyFile)
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

export const removeGoogleAccountCommand = defineCommand({
  name: 'remove-google-account',
  summary:
    'Forgets the Google service account of a workspace: its agents write to no Google spreadsheet any more.',
  options: { workspace: workspaceOption },
  run: async (deps, { workspace }) => {
    await removeGoogleAccount(deps)(workspace)
    return { note: 'The key is forgotten here. In Google it is valid until it is deleted there.' }
  },
})
