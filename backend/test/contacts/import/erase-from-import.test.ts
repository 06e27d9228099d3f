import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import type { Worker } from '../../../platform/core/worker.ts'
import { eraseContact } from '../../../privacy/erase-contact.ts'
import { checkImport } from '../../../queue/contacts/import/check-import.ts'
import { leaseImports } from '../../../queue/contacts/import/import-store.ts'
import { startImport } from '../../../queue/contacts/import/imports.ts'
import { seedCall } from '../../support/calls.ts'
import { acceptColumns, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'

const { world, startWorker, waitUntilSettled, uploadFile, uploadAndCheck } = useImportWorld()
let worker: Worker
beforeEach(() => {
  worker = startWorker()
})
afterEach(() => worker.stop())

const number = '+12025570101'

type Owner = Awaited<ReturnType<typeof seedSignedInOwner>>

const toImportId = (path: string) => Number(path.split('/').at(-1))

const seedContact = async ({ seed }: Owner) =>
  (await seedCall(world.service.deps, seed, number, { email: 'maya@x.example' })).contact.id

const erase = (user: Owner, contactId: number) =>
  eraseContact(world.service.deps, user.seed.workspaceId, contactId)

const selectRows = (path: string) =>
  world.database.db
    .selectFrom('contact_import_row')
    .select(['position', 'phone_number'])
    .where('import_id', '=', toImportId(path))
    .orderBy('position')
    .execute()

it('hides a file that contains an erased contact, and rejects its download and import, until the contact is removed from it', async () => {
  const user = await seedSignedInOwner(world.service)
  const contactId = await seedContact(user)
  const { path } = await uploadAndCheck(
    user,
    'Phone,Name,Email\n+12025570101,Maya,\nno number,Maya,maya@x.example\nno number,Ann,\n+12025570102,Bo,\n',
  )
  const other = await uploadFile(user, 'Phone,Name\n202 557 0101,Maya\n')
  await worker.stop()
  await erase(user, contactId)

  expect((await user.open(path)).text).toContain('Removing an erased contact')
  for (const hidden of [path, `${path}/rejected`, `${path}/issues`, `${path}/columns`, other.path]) {
    const { html } = await user.open(hidden)
    expect(html).not.toContain('Maya')
    // Searches for a text with a space, because a random token of the page could contain a single word.
    expect(html).not.toContain('no number')
  }
  expect((await user.open(`${path}/rejected`)).text).toContain('that person is being removed from this file')
  await expect(
    startImport(world.service.deps, user.seed.workspaceId, toImportId(path), null),
  ).rejects.toThrow('that person is being removed from this file')

  worker = startWorker()
  const page = await waitUntilSettled(user, path)
  expect(page.text).toContain('Import 1 row')
  expect((await user.open(`${path}/rejected`)).text).toContain('Ann')
  expect((await user.open(`${path}/rejected`)).text).not.toContain('Maya')
  expect((await waitUntilSettled(user, other.path)).text).toContain('the file contains that person')
})

it("erases a contact at once, and lets a worker search the workspace's large imported files later", async () => {
  const user = await seedSignedInOwner(world.service)
  const contactId = await seedContact(user)
  const { path } = await uploadFile(user, 'Phone,Name\n+12025570102,Bo\n')
  await worker.stop()
  await sql`
    insert into contact_import_row (import_id, position, state, issues)
    select ${toImportId(path)}, position, 'invalid',
      jsonb_build_array(jsonb_build_object('message', repeat('Call 555-0100 ', 7000)))
    from generate_series(2, 800) as position`.execute(world.database.db)
  await erase(user, contactId)
  // The request doesn't search rows that are as large as these. A worker does so later.
  expect((await user.open(path)).text).toContain('Removing an erased contact')
  worker = startWorker()
  await waitUntilSettled(user, path)
  expect(await selectRows(path)).toHaveLength(799)
})

it('removes a person from a file if the person is erased while the file is being checked', async () => {
  const user = await seedSignedInOwner(world.service)
  const contactId = await seedContact(user)
  const { path } = await uploadFile(user, 'Phone,Name\n+12025570101,Maya\n+12025570102,Bo\n')
  await worker.stop()
  await acceptColumns(world.service.deps, user.seed.workspaceId, toImportId(path))
  const [job] = await leaseImports(world.database.db, 1)
  if (job === undefined) throw new Error('no import to lease')
  await erase(user, contactId)
  expect(await leaseImports(world.database.db, 1)).toEqual([])
  await checkImport(world.service.deps, job, new AbortController().signal)
  expect(await selectRows(path)).toHaveLength(2)
  expect((await user.open(path)).text).toContain('Removing an erased contact')
  worker = startWorker()
  await waitUntilSettled(user, path)
  expect(await selectRows(path)).toEqual([{ position: 3, phone_number: '+12025570102' }])
})

it('if a second person is erased while a file is being searched for the first, removes both people from the file', async () => {
  const user = await seedSignedInOwner(world.service)
  const contactId = await seedContact(user)
  const other = await seedCall(world.service.deps, user.seed, '+12025570109')
  const { path } = await uploadAndCheck(
    user,
    'Phone,Name\nbad 202-557-0101,Maya\nbad 202-557-0109,Eve\nbad,Ann\n',
  )
  await worker.stop()
  await erase(user, contactId)
  const [job] = await leaseImports(world.database.db, 1)
  expect(job).toMatchObject({ isErasing: true })
  await erase(user, other.contact.id)
  await world.database.db
    .updateTable('contact_import')
    .set({ lease_until: new Date(0) })
    .execute()
  worker = startWorker()
  await waitUntilSettled(user, path)
  expect((await selectRows(path)).map(({ position }) => position)).toEqual([4])
})

it("if searching a file's unreadable rows for an erased person keeps failing, deletes those rows", async () => {
  const user = await seedSignedInOwner(world.service)
  const contactId = await seedContact(user)
  const { path } = await uploadAndCheck(user, 'Phone,Name\nbad,Ann\n+12025570102,Bo\n')
  await worker.stop()
  await erase(user, contactId)
  await world.database.db.updateTable('contact_import').set({ attempts: 5 }).execute()
  worker = startWorker()
  const page = await waitUntilSettled(user, path)
  expect(page.html).not.toContain('Back to columns')
  expect((await selectRows(path)).map(({ position }) => position)).toEqual([3])
})

it('lets a user discard a file before it is searched for an erased person', async () => {
  const user = await seedSignedInOwner(world.service)
  const contactId = await seedContact(user)
  const { path, page } = await uploadAndCheck(user, 'Phone\n+12025570102\n')
  await worker.stop()
  await erase(user, contactId)
  await user.browser.press(page, 'Discard file')
  worker = startWorker()
  expect((await user.open('/contacts/import')).html).not.toContain(path)
})
