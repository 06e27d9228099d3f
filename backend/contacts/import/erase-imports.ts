import { sql } from 'kysely'
import { decodeText, NotTextError } from '../../core/decode-text.ts'
import { type ContactIdentifiers, containsIdentifier } from '../../db/erasure.ts'
import type { Db } from '../../db/schema.ts'

/**
 * Deletes the contact's rows of files that are being imported, which would add the contact again, and rejected rows that
 * contain an identifier. A stored file that contains one is deleted: it fails, unless its rows have been checked, and only its
 * columns can't be changed any more. Call it in a transaction.
 */
export async function eraseImportRows(
  db: Db,
  contact: ContactIdentifiers & { workspaceId: number; at: Date },
): Promise<void> {
  const { workspaceId, phoneNumber } = contact
  await eraseStoredFiles(db, contact)
  await sql`
    update contact_import set columns = '[]', consent = '{}'
    where workspace_id = ${workspaceId}
      and (${containsIdentifier(sql`columns::text`, contact)} or ${containsIdentifier(sql`consent::text`, contact)})
  `.execute(db)
  await sql`
    update contact_import_row
    set fields = jsonb_set(fields, '{other_numbers}', (fields -> 'other_numbers') - ${phoneNumber}::text)
    where import_id in (select id from contact_import where workspace_id = ${workspaceId})
      and fields -> 'other_numbers' ? ${phoneNumber}`.execute(db)
  await sql`
    delete from contact_import_row
    where import_id in (select id from contact_import where workspace_id = ${workspaceId}) and (
      phone_number = ${phoneNumber} or issues <> '[]' and (
        ${containsIdentifier(sql`issues::text`, contact)} or ${containsIdentifier(sql`coalesce(cells::text, '')`, contact)}
      )
    )`.execute(db)
}

async function eraseStoredFiles(
  db: Db,
  contact: ContactIdentifiers & { workspaceId: number; at: Date },
): Promise<void> {
  const { workspaceId, at } = contact
  const stored = await db
    .selectFrom('contact_import')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('bytes', 'is not', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const ids: number[] = []
  // One at a time, because each can have 20 MB.
  for (const { id } of stored) {
    const { bytes } = await db
      .selectFrom('contact_import')
      .select('bytes')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    if (bytes !== null && (await isMentioned(bytes, contact))) ids.push(id)
  }
  await sql`
    update contact_import set bytes = null, samples = '[]', lease_until = null,
      status = case when status = 'checked' then status else 'failed' end,
      error = case when status = 'checked' then error else ${erasedFileError} end,
      finished_at = case when status = 'checked' then finished_at else ${at}::timestamptz end
    where workspace_id = ${workspaceId} and id = any(${ids}::bigint[])`.execute(db)
}

const erasedFileError =
  'A contact was erased before this file was imported, and the file contains that person. Remove them from the file, then upload it again.'

/** Characters to search before other work of the process gets a turn. */
const sliceLength = 1024 * 1024

/**
 * Returns true if a file contains the phone number in any spelling, or the email address. The digits of a number can be apart
 * in any way, as `containsIdentifier` finds them in the database.
 */
async function isMentioned(bytes: Buffer, { digits, email }: ContactIdentifiers): Promise<boolean> {
  let text: string
  try {
    text = decodeText(bytes)
  } catch (error) {
    // The file fails when it's read.
    if (error instanceof NotTextError) return false
    throw error
  }
  const address = email?.toLowerCase() ?? ''
  let numbers = ''
  for (let start = 0; start < text.length; start += sliceLength) {
    const slice = text.slice(start, start + sliceLength + address.length)
    if (address !== '' && slice.toLowerCase().includes(address)) return true
    numbers = numbers.slice(-digits.length) + toDigits(text.slice(start, start + sliceLength))
    if (numbers.includes(digits)) return true
    await new Promise((resolve) => setImmediate(resolve))
  }
  return false
}

/** Returns the digits of a text. Those of other scripts count, because numbers with them are read, too. */
const toDigits = (text: string): string =>
  text.replace(/[^\p{Nd}]/gu, '').replace(/[^0-9]/gu, (digit) => String(toDigit(digit.codePointAt(0) ?? 0)))

/** Unicode's decimal digits come in runs from 0 to 9. Returns the digit by its place in its run. */
function toDigit(codePoint: number): number {
  const isDigit = (point: number) => /\p{Nd}/u.test(String.fromCodePoint(point))
  for (let offset = 0; offset < 10; offset += 1) if (!isDigit(codePoint - offset - 1)) return offset
  return codePoint % 10
}

export const deleteExpiredImports = async (db: Db, now: Date): Promise<void> => {
  await db
    .deleteFrom('contact_import')
    .where('expires_at', '<', now)
    .where('status', '<>', 'undoing')
    .execute()
}
