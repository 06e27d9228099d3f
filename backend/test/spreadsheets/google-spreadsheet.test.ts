// cspell:ignore IMPORTXML nmae
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import nock from 'nock'
import { spreadsheetAppend } from '../../tools/kinds/spreadsheet-append.ts'
import {
  getGoogleAccount,
  removeGoogleAccount,
  saveGoogleAccount,
} from '../../tools/spreadsheets/google-account.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { createAppendTool } from '../support/spreadsheets.ts'
import { runTool } from '../support/tools.ts'
import { useTestDatabase } from '../support/world.ts'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const keyFile = {
  type: 'service_account',
  client_email: 'sheets@acme.iam.gserviceaccount.com',
  private_key: privateKey,
  // Google's key files contain URLs. The service must not use them.
  token_uri: 'https://evil.example.com/token',
  universe_domain: 'evil.example.com',
}
const config = { spreadsheet_id: 'sheet-1', provider: 'google' }

const database = useTestDatabase()
let deps: TestDeps
let workspaceId: number

beforeAll(async () => {
  deps = testDeps(database.db)
  // Importing nock activates it only the first time.
  if (!nock.isActive()) nock.activate()
})
beforeEach(async () => {
  ;({ workspaceId } = await seedWorkspace(deps))
  nock.disableNetConnect()
  nock.enableNetConnect('127.0.0.1')
})
afterEach(() => {
  nock.cleanAll()
})
afterAll(async () => {
  nock.enableNetConnect()
  nock.restore()
})

const readClaims = (assertion: string): unknown =>
  JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString())

const google = () => nock('https://sheets.googleapis.com')

const grantToken = (seen: unknown[] = []) =>
  nock('https://oauth2.googleapis.com')
    .post('/token', (body: { grant_type: string; assertion: string }) => {
      seen.push(body.grant_type, readClaims(body.assertion))
      return true
    })
    .reply(200, { access_token: 'token-1', expires_in: 3599, token_type: 'Bearer' })

const respondWithHeader = (...columns: string[]) =>
  google()
    .get('/v4/spreadsheets/sheet-1/values/1:1')
    .matchHeader('authorization', 'Bearer token-1')
    .reply(200, { range: 'Sheet1!A1:Z1', majorDimension: 'ROWS', values: [columns] })

const appended = '/v4/spreadsheets/sheet-1/values/A1:append'
const options = { valueInputOption: 'RAW', insertDataOption: 'INSERT_ROWS' }

const append = (values: unknown, more = {}) =>
  runTool(deps, spreadsheetAppend, createAppendTool(workspaceId), { values }, { config, ...more })

describe('appending a row', () => {
  it('exchanges a signed assertion for a token and appends the row in column order', async () => {
    await saveGoogleAccount(deps, workspaceId, JSON.stringify(keyFile))
    const seen: unknown[] = []
    grantToken(seen)
    respondWithHeader('Name', 'Phone', 'Price')
    const sent: unknown[] = []
    google()
      .post(appended, (body) => sent.push(body) > 0)
      .query(options)
      .matchHeader('authorization', 'Bearer token-1')
      .reply(200, { spreadsheetId: 'sheet-1', updates: { updatedRows: 1 } })

    const result = await append({ Price: 300, Name: '=IMPORTXML("https://evil.example.com")' })
    expect(result).toEqual({ text: 'Row added to the spreadsheet.', isError: false })
    expect(seen[0]).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    expect(seen[1]).toMatchObject({
      iss: keyFile.client_email,
      scope: 'https://www.googleapis.com/auth/spreadsheets',
      aud: 'https://oauth2.googleapis.com/token',
    })
    expect(sent).toEqual([
      { majorDimension: 'ROWS', values: [['=IMPORTXML("https://evil.example.com")', '', 300]] },
    ])
    expect(nock.isDone()).toBe(true)
  })

  it('sends no row that has an unknown column, and lists the unknown and the known columns', async () => {
    await saveGoogleAccount(deps, workspaceId, JSON.stringify(keyFile))
    grantToken()
    respondWithHeader('Name', 'Phone')
    expect(await append({ Nmae: 'Ann' })).toEqual({
      text: 'The spreadsheet has no column "Nmae". Use these columns: "Name", "Phone".',
      isError: true,
    })
  })

  it("asks for column names in the first row if the row's first cell is empty", async () => {
    await saveGoogleAccount(deps, workspaceId, JSON.stringify(keyFile))
    grantToken()
    respondWithHeader('', 'Phone')
    expect((await append({ Phone: '1' })).text).toContain('must enter them in its first row')
  })

  it('on a test call, reads the column names but sends no row', async () => {
    await saveGoogleAccount(deps, workspaceId, JSON.stringify(keyFile))
    grantToken()
    respondWithHeader('Name')
    expect(await append({ Name: 'Ann' }, { dryRun: true })).toEqual({
      text: 'Test call: nothing was changed. This row would have been added: Name: Ann.',
      isError: false,
    })
  })

  it('stops when the agent cancels the tool call', async () => {
    await saveGoogleAccount(deps, workspaceId, JSON.stringify(keyFile))
    await expect(append({ Name: 'Ann' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    })
  })
})

describe('errors from Google', () => {
  it.each([
    [
      401,
      "A workspace member must add a new key under Spreadsheets in the dashboard. The row wasn't added. Continue the conversation.",
    ],
    [
      403,
      "must share the spreadsheet with sheets@acme.iam.gserviceaccount.com as an editor. The row wasn't added. Continue the conversation.",
    ],
    [404, 'Google has no spreadsheet with this ID'],
    [429, 'Google Sheets received too many requests'],
    [
      400,
      "Google Sheets returned error 400. A workspace member can find the reason in the Google Cloud console. The row wasn't added. Continue the conversation.",
    ],
    [503, "The row may have been added. Don't add it again."],
  ])(
    "if Google returns %d, doesn't send the row again, and explains the error to the agent",
    async (status, text) => {
      await saveGoogleAccount(deps, workspaceId, JSON.stringify(keyFile))
      grantToken()
      respondWithHeader('Name')
      const second = google()
        .post(appended)
        .query(options)
        .reply(status, {})
        .post(appended)
        .query(options)
        .reply(200, {})
      const result = await append({ Name: 'Ann' })
      expect(result.isError).toBe(true)
      expect(result.text).toContain(text)
      expect(second.isDone()).toBe(false)
    },
  )

  it('if the connection is lost, says that the row may have been added', async () => {
    await saveGoogleAccount(deps, workspaceId, JSON.stringify(keyFile))
    grantToken()
    respondWithHeader('Name')
    google().post(appended).query(options).replyWithError('socket hang up')
    expect(await append({ Name: 'Ann' })).toEqual({
      text: "Google Sheets didn't respond. Don't wait for it. The row may have been added. Don't add it again.",
      isError: true,
    })
  })

  it("says that Google rejected the service account's key", async () => {
    await saveGoogleAccount(deps, workspaceId, JSON.stringify(keyFile))
    nock('https://oauth2.googleapis.com').post('/token').reply(400, { error: 'invalid_grant' })
    expect((await append({ Name: 'Ann' })).text).toContain("rejected the service account's key")
  })
})

describe('the service account', () => {
  it('is shown only by its email, and is deleted together with its key', async () => {
    expect(await getGoogleAccount(deps, workspaceId)).toBeUndefined()
    await saveGoogleAccount(deps, workspaceId, JSON.stringify(keyFile))
    expect(await getGoogleAccount(deps, workspaceId)).toEqual({ clientEmail: keyFile.client_email })

    const other = await seedWorkspace(deps)
    const missing = { code: 'not_found' }
    await expect(removeGoogleAccount(deps, other.workspaceId)).rejects.toMatchObject(missing)
    await removeGoogleAccount(deps, workspaceId)
    await expect(removeGoogleAccount(deps, workspaceId)).rejects.toMatchObject(missing)
    const rows = deps.db.selectFrom('google_account').selectAll().where('workspace_id', '=', workspaceId)
    expect(await rows.execute()).toEqual([])
  })

  it("is required: if the workspace has none, the tool's result says to add one under Spreadsheets", async () => {
    expect((await append({ Name: 'Ann' })).text).toContain('must add one under Spreadsheets')
  })

  it('is saved with only its email and its encrypted key, and a new account replaces both', async () => {
    await saveGoogleAccount(deps, workspaceId, JSON.stringify(keyFile))
    const saved = await saveGoogleAccount(
      deps,
      workspaceId,
      JSON.stringify({ ...keyFile, client_email: 'new@acme.iam.gserviceaccount.com' }),
    )
    expect(saved).toEqual({ clientEmail: 'new@acme.iam.gserviceaccount.com' })
    const rows = await deps.db
      .selectFrom('google_account')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toMatch(/PRIVATE KEY|evil/)
    expect(deps.secretBox.open(rows[0]?.private_key ?? '', ['google_account.private_key', workspaceId])).toBe(
      privateKey,
    )
  })

  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  })

  it.each([
    ["text that isn't JSON", 'hello'],
    ['a file without a key', JSON.stringify({ client_email: 'a@b.example' })],
    ['a broken key', JSON.stringify({ ...keyFile, private_key: 'secret-text' })],
    ['a key of another type', JSON.stringify({ ...keyFile, private_key: ec })],
    ["an email that can't be stored", JSON.stringify({ ...keyFile, client_email: 'a\u0000@b.example' })],
    ['an invalid email', JSON.stringify({ ...keyFile, client_email: 'sheets' })],
  ])("can't be added with %s, and the error doesn't repeat the private key", async (_what, pasted) => {
    const thrown = await saveGoogleAccount(deps, workspaceId, pasted).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ code: 'validation_failed', details: [{ field: 'google_account' }] })
    expect(String(thrown)).not.toContain('secret-text')
  })
})
