import { createPrivateKey } from 'node:crypto'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { FormError, invalidField } from '../../platform/core/form-errors.ts'
import { deleteGoogleAccount, findGoogleAccount, upsertGoogleAccount } from './spreadsheet-store.ts'

/**
 * The fields of a key file that are saved. All others are dropped: for example, the file's token URL could lead to any server.
 */
const KeyFile = z.object({
  client_email: z.string().regex(/^[\w.+-]{1,128}@[\w.-]{1,128}$/),
  private_key: z.string().max(10_000),
})

/**
 * Saves the workspace's Google service account, which replaces an earlier one. Its private key is sealed.
 *
 * @param pasted the JSON key file that Google issued
 * @returns the address that spreadsheets must be shared with
 * @throws {ApiError} validation_failed; its message doesn't contain the key
 */
export async function saveGoogleAccount(
  { db, secretBox, clock }: Pick<Deps, 'db' | 'secretBox' | 'clock'>,
  workspaceId: number,
  pasted: string,
): Promise<{ clientEmail: string }> {
  const keyFile = KeyFile.safeParse(parseJson(pasted))
  if (!keyFile.success || !isRsaKey(keyFile.data.private_key)) {
    const message =
      "This isn't a Google service account key file. Paste the whole JSON file, including client_email and private_key."
    throw invalidField('google_account', 'invalid_key', message)
  }
  const { client_email: clientEmail, private_key: privateKey } = keyFile.data
  const account = {
    clientEmail,
    privateKey: secretBox.seal(privateKey, ['google_account.private_key', workspaceId]),
  }
  await upsertGoogleAccount(db, workspaceId, account, clock.now())
  return { clientEmail }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined // reported like any other wrong file
  }
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false // not a key
  }
}

/** Returns the address that spreadsheets must be shared with, or undefined if the workspace has no account. */
export async function getGoogleAccount(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
): Promise<{ clientEmail: string } | undefined> {
  const account = await findGoogleAccount(db, workspaceId)
  return account && { clientEmail: account.clientEmail }
}

/**
 * Deletes the workspace's Google service account. Agents that write to Google Sheets then get an error.
 *
 * @throws {ApiError} not_found
 */
export async function removeGoogleAccount({ db }: Pick<Deps, 'db'>, workspaceId: number): Promise<void> {
  const isDeleted = await deleteGoogleAccount(db, workspaceId)
  if (!isDeleted)
    throw new FormError(
      'not_found',
      'This workspace has no Google service account. Add one under Spreadsheets, or with set-google-account.',
    )
}
