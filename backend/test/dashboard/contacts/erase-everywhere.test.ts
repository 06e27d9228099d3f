// cspell:ignore e-mail Zeldas José
import { isDeepStrictEqual } from 'node:util'
import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { eraseContact } from '../../../privacy/erase-contact.ts'
import { startImporter } from '../../../queue/contacts/import/importer.ts'
import { startImport, uploadContacts } from '../../../queue/contacts/import/imports.ts'
import { acceptColumns } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { waitForLockWaiters } from '../../support/locks.ts'
import { useServiceWorld } from '../../support/service.ts'
import { waitForValue } from '../../support/wait.ts'

const world = useServiceWorld()

/** Returns all values that match a person in all columns of all tables, including JSON and binary columns. */
async function findTraces(person: RegExp): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(world.database.db)
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ row: Record<string, unknown> }>`
      select to_jsonb(t) as row from ${sql.table(name)} t`.execute(world.database.db)
    for (const { row } of rows) {
      const texts = Object.values(row).map((value) =>
        typeof value === 'string' && value.startsWith('\\x')
          ? Buffer.from(value.slice(2), 'hex').toString()
          : JSON.stringify(value),
      )
      found.push(...texts.filter((text) => person.test(text)).map((text) => `${name}: ${text}`))
    }
  }
  return found
}

it('erases everything about a person, including rows in files that are being imported', async () => {
  const { browser, open, seed, userId } = await seedSignedInOwner(world.service)
  const { workspaceId } = seed
  const { page: created } = await browser.press(await open('/contacts/new'), 'Add contact', {
    phone_number: '(202) 555-0173',
    first_name: 'Zelda',
    last_name: 'Quine',
    email: 'zelda@quine.example',
    external_id: 'crm-zelda',
    variables: 'dog = Zeldas dog',
    campaign_id: String(seed.campaignId),
  })
  const contact = new URL(created.url).pathname.split('/').at(-1) ?? ''
  const at = `/contacts/${contact}`
  await browser.press(await open(at), 'Add note', { text: 'Zelda calls from 202.555.0173' })
  await browser.press(await open('/contacts/do-not-call'), 'Add to list', {
    phone_number: '202 555 0173',
    reason: 'Zelda asked',
  })
  await browser.press(await open(`${at}/edit`), 'Save', { first_name: 'Zelda Maria' })

  const file = (text: string, encoding: BufferEncoding = 'utf8') =>
    uploadContacts(
      world.service.deps,
      { workspaceId, userId },
      { name: 'leads.csv', bytes: Buffer.from(text, encoding), isTooLarge: false },
    )
  const checked = await file(
    [
      'Phone,Name,E-mail,Time zone',
      '(202) 555-0173,Zelda Quine,zelda@quine.example,',
      '202-555-0173,Zelda Quine,zelda@quine.example,',
      '+1 202 555 0173,Zelda Quine,zelda@quine.example at home,Mars/Zelda',
      'x2025550173,Zelda Quine,zelda@quine.example,',
      '+12025550174,Somebody else,,',
    ].join('\n'),
  )
  const importer = startImporter(world.service.deps)
  await acceptColumns(world.service.deps, workspaceId, checked)
  importer.notify()
  await waitForValue(
    () => world.database.db.selectFrom('contact_import').select('status').execute(),
    (rows) => rows.every(({ status }) => status === 'checked'),
  )
  await importer.stop()
  // These files are uploaded, but not checked yet.
  const unread = await Promise.all([
    file('Phone,Name\n202-555-0173,Zelda Quine\n'),
    file('Phone,Name\n"+1 (202) 555.01 73",?\n'),
    file('Phone\n(\u0662\u0660\u0662) \uFF15\uFF15\uFF15-0173\n'),
    file('\uFEFFPhone\n2025550173\n', 'utf16le'),
    file('Name;Phone;Mail\nJosé;202/5550173;\n', 'latin1'),
    file('Phone,Mail\n+12025550174,ZELDA@Quine.example\n'),
  ])
  const unrelated = await Promise.all([
    file('Phone,Name\n202-555-0174,Somebody else\n'),
    file('Phone,Name\n202-555-0184,Somebody else\n', 'utf16le'),
  ])

  const person = /zelda|quine|202\D{0,2}555\D{0,2}0173/i
  expect((await findTraces(person)).length).toBeGreaterThan(5)
  const { page } = await browser.press(await open(`${at}/erase`), 'Erase permanently', {
    confirmation: '+12025550173',
  })
  expect(page.text).toContain('erased')
  for (const id of [checked, ...unread]) {
    expect((await open(`/contacts/import/${id}`)).text).toContain('Removing an erased contact')
    expect((await open(`/contacts/import/${id}`)).html).not.toMatch(person)
  }
  const eraser = startImporter(world.service.deps)
  await waitForValue(
    () => world.database.db.selectFrom('contact_import').select('erasures').execute(),
    (rows) => rows.every(({ erasures }) => isDeepStrictEqual(erasures, [])),
  )
  await eraser.stop()
  expect(await findTraces(person)).toEqual([])

  for (const id of unread)
    expect((await open(`/contacts/import/${id}`)).text).toContain('the file contains that person')
  for (const id of unrelated)
    expect((await open(`/contacts/import/${id}`)).text).not.toContain('A contact was erased')
  const { page: stillChecked } = await browser.open(
    `${new URL(page.url).origin}/w/${workspaceId}/contacts/import/${checked}`,
  )
  expect(stillChecked.html).toContain('/start"')
  expect(stillChecked.html).not.toContain('Back to columns')
  const { page: lookup } = await browser.open(
    `${new URL(page.url).origin}/w/${workspaceId}/contacts/do-not-call?number=2025550173`,
  )
  expect(lookup.text).toContain('has been on the do-not-call list')
  const importRows = await world.database.db
    .selectFrom('contact_import_row')
    .select(['position', 'phone_number'])
    .execute()
  expect(importRows.map(({ phone_number }) => phone_number).filter(Boolean)).toEqual(['+12025550174'])
})

it('erasing a person waits for an import that is about to save them, and keeps the import from adding them again', async () => {
  const { seed, userId } = await seedSignedInOwner(world.service)
  const { workspaceId } = seed
  const { db } = world.database
  const contact = await db
    .insertInto('contact')
    .values({ workspace_id: workspaceId, phone_number: '+12025550175' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const importId = await uploadContacts(
    world.service.deps,
    { workspaceId, userId },
    { name: 'leads.csv', bytes: Buffer.from('Phone\n+12025550175\n'), isTooLarge: false },
  )
  const importer = startImporter(world.service.deps)
  const statusIs = (wanted: string) =>
    waitForValue(
      () => db.selectFrom('contact_import').select('status').where('id', '=', importId).executeTakeFirst(),
      (row) => row?.status === wanted,
    )
  await acceptColumns(world.service.deps, workspaceId, importId)
  importer.notify()
  await statusIs('checked')
  await importer.stop()

  let erasure: Promise<void> | undefined
  await db.transaction().execute(async (transaction) => {
    await transaction
      .selectFrom('contact_import_row')
      .select('position')
      .where('import_id', '=', importId)
      .forUpdate()
      .execute()
    erasure = eraseContact(world.service.deps, workspaceId, contact.id)
    await waitForLockWaiters(db)
    await transaction.selectFrom('contact').select('id').where('id', '=', contact.id).forUpdate().execute()
  })
  await erasure
  const start = () => startImport(world.service.deps, workspaceId, importId, null)
  await expect(start()).rejects.toThrow('that person is being removed from this file')
  const again = startImporter(world.service.deps)
  await waitForValue(
    () => db.selectFrom('contact_import').select('erasures').where('id', '=', importId).executeTakeFirst(),
    (row) => isDeepStrictEqual(row?.erasures, []),
  )
  await start()
  again.notify()
  await statusIs('done')
  await again.stop()
  const people = await db
    .selectFrom('contact')
    .select('phone_number')
    .where('workspace_id', '=', workspaceId)
    .execute()
  expect(people).toEqual([{ phone_number: '' }])
})
