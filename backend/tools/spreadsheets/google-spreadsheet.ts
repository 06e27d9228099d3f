import * as z from 'zod'
import { secondMs } from '../../platform/core/durations.ts'
import { type Spreadsheet, SpreadsheetError, toCells } from './spreadsheet.ts'

interface GoogleAccount {
  clientEmail: string
  /** In PEM format. */
  privateKey: string
}

/** Time limit for preparing a row, and again for sending it. Together, they take less than a tool call can take. */
const timeoutMs = 8 * secondMs

const Header = z.object({ values: z.array(z.array(z.unknown())).optional() })

/** What an error means for the row or, if only the columns were read, for the columns. */
type RowState = 'row_not_added' | 'row_uncertain' | 'columns_not_loaded'

/**
 * Opens the first sheet of a Google spreadsheet that is shared with a service account; its first row names the columns. A row
 * is never sent twice: Google may report an error for a row that it added.
 *
 * See "spreadsheets.values.get" and "spreadsheets.values.append" of the Sheets API v4.
 */
export function googleSpreadsheet(account: GoogleAccount, id: string): Spreadsheet {
  const values = `https://sheets.googleapis.com/v4/spreadsheets/${encodeURIComponent(id)}/values`

  const readHeader = async (token: string, signal: AbortSignal): Promise<string[]> => {
    const response = await sendRequest(`${values}/1:1`, { headers: authorizationHeader(token) }, signal)
    if (!response.ok) throw toSpreadsheetError(account, response.status, 'row_not_added')
    const header = Header.safeParse(response.body)
    const columns = (header.data?.values?.[0] ?? []).map((name) => String(name).trim())
    // If the first column has no name, Google appends from the first column that has one, so the cells would be shifted.
    if (columns[0] === undefined || columns[0] === '') {
      throw new SpreadsheetError('google_columns')
    }
    return columns
  }

  return {
    readColumns: (signal) =>
      withTimeout(signal, 'columns_not_loaded', async (timeoutSignal) =>
        readHeader(await getToken(account, timeoutSignal), timeoutSignal),
      ),

    appendRow: async (rowValues, signal) => {
      const row = await withTimeout(signal, 'row_not_added', async (timeoutSignal) => {
        const token = await getToken(account, timeoutSignal)
        return { token, cells: toCells(await readHeader(token, timeoutSignal), rowValues) }
      })
      await withTimeout(signal, 'row_uncertain', async (timeoutSignal) => {
        const response = await sendRequest(
          `${values}/A1:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS`,
          {
            method: 'POST',
            headers: { ...authorizationHeader(row.token), 'content-type': 'application/json' },
            body: JSON.stringify({ majorDimension: 'ROWS', values: [row.cells] }),
          },
          timeoutSignal,
        )
        if (!response.ok) {
          const then = response.status < 500 ? 'row_not_added' : 'row_uncertain'
          throw toSpreadsheetError(account, response.status, then)
        }
      })
    },
  }
}

async function getToken({ clientEmail, privateKey }: GoogleAccount, signal: AbortSignal): Promise<string> {
  let status = 0
  // The library's own fetch crashes the process if the signal has already been aborted.
  const fetchImplementation: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    status = response.status
    return response
  }
  // Imported only here, because few installations use Google Sheets.
  const { JWT } = await import('google-auth-library')
  const client = new JWT({
    email: clientEmail,
    key: privateKey,
    scopes: ['https://www.googleapis.com/auth/spreadsheets'],
    transporterOptions: { signal, fetchImplementation },
  })
  const { token } = await client.getAccessToken().catch((error: unknown) => {
    throw status === 400 || status === 401
      ? new SpreadsheetError('google_key', {}, { then: 'row_not_added' })
      : error
  })
  if (typeof token !== 'string') throw new Error('Google returned no access token')
  return token
}

const authorizationHeader = (token: string) => ({ authorization: `Bearer ${token}` })

async function sendRequest(url: string, init: RequestInit, signal: AbortSignal) {
  const response = await fetch(url, { ...init, redirect: 'error', signal })
  const body: unknown = response.ok ? await response.json() : await response.body?.cancel()
  return { ok: response.ok, status: response.status, body }
}

/** Limits how long `work` takes. If the time is up or the connection fails, the error also says whether the row was added. */
async function withTimeout<Result>(
  signal: AbortSignal,
  then: RowState,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SpreadsheetError) throw error
    throw new SpreadsheetError('google_silent', {}, { then, cause: error })
  }
}

const statusIssues = {
  401: 'google_key',
  403: 'google_access',
  404: 'google_spreadsheet',
  429: 'google_limit',
} as const

function toSpreadsheetError(
  { clientEmail: email }: GoogleAccount,
  status: number,
  then: RowState,
): SpreadsheetError {
  const issue = status in statusIssues ? statusIssues[status as keyof typeof statusIssues] : 'google_error'
  return new SpreadsheetError(issue, { email, status }, { then })
}
