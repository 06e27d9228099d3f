import { ApiError, invalidField } from '../../core/errors.ts'
import type { SpreadsheetSummary } from '../../spreadsheets/spreadsheet-store.ts'

/** Which spreadsheet a tool writes to: one of the workspace, or one of Google by its id. */
export interface SpreadsheetChoice {
  options: { value: string; label: string }[]
  chosen: string
  googleId: string
}

const googleOption = 'google:another'

export function toSpreadsheetChoice(
  spreadsheets: readonly SpreadsheetSummary[],
  config: Readonly<Record<string, unknown>>,
): SpreadsheetChoice {
  const id = typeof config.spreadsheet_id === 'string' ? config.spreadsheet_id : ''
  const isGoogle = config.provider === 'google'
  const workspaceOptions = spreadsheets.map(({ id: value, name }) => ({ value, label: name }))
  return {
    options: [
      { value: '', label: 'Choose one' },
      ...workspaceOptions,
      { value: googleOption, label: 'Another (Google Sheets)' },
    ],
    chosen: isGoogle ? googleOption : id,
    googleId: isGoogle ? id : '',
  }
}

/** @throws {ApiError} validation_failed where another one is meant, and not said which */
export function parseSpreadsheetChoice(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const chosen = raw['config.spreadsheet_id']
  if (chosen === undefined) {
    throw invalidField('config.spreadsheet_id', 'required', 'Choose the spreadsheet that rows are added to.')
  }
  if (chosen !== googleOption) return { spreadsheet_id: chosen, provider: 'database' }
  const id = raw.google_id
  if (typeof id !== 'string') {
    throw invalidField('google_id', 'required', 'Paste the address of the Google spreadsheet, or its id.')
  }
  return { spreadsheet_id: parseGoogleId(id.trim()), provider: 'google' }
}

/** People paste the whole address: the id is its part between /d/ and the next slash. */
const parseGoogleId = (text: string): string =>
  /^https:\/\/docs\.google\.com\/spreadsheets\/(?:u\/\d+\/)?d\/([\w-]+)/.exec(text)?.[1] ?? text

/** What is wrong with a Google spreadsheet stands beside the field in which it was given. */
export const toGoogleIdError =
  (raw: Readonly<Record<string, unknown>>) =>
  (error: unknown): never => {
    if (!(error instanceof ApiError) || raw['config.spreadsheet_id'] !== googleOption) throw error
    const details = error.details.map(({ field, code, message }) =>
      field === 'config.spreadsheet_id'
        ? { field: 'google_id', code, message: message.replace(field, 'google_id') }
        : { field, code, message },
    )
    throw new ApiError(error.code, error.message, { details })
  }
