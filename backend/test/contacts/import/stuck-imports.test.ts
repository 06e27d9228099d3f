import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { type RawBuilder, sql } from 'kysely'
import pino from 'pino'
import type { Worker } from '../../../platform/core/worker.ts'
import { checkImport, findColumns } from '../../../queue/contacts/import/check-import.ts'
import { leaseImports } from '../../../queue/contacts/import/import-store.ts'
import { upload, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { asSuperuser } from '../../support/database.ts'
import { waitFor } from '../../support/wait.ts'

const { world, startWorker, waitUntilSettled, uploadFile, uploadAndCheck, listContacts } = useImportWorld()
let worker: Worker
beforeAll(() => {
  // Ends the lease of a failed job immediately, so that the tests don't wait 30 seconds each time.
  const endLeases = () =>
    world.database.db
      .updateTable('contact_import')
      .set({ lease_until: new Date(0) })
      .where('lease_until', 'is not', null)
      .execute()
  world.service.deps.log = pino({ level: 'error' }, { write: () => void endLeases() })
})
beforeEach(() => {
  worker = startWorker()
})
afterEach(() => worker.stop())

it('shortens a long file name before an emoji, not within the emoji', async () => {
  const user = await seedSignedInOwner(world.service)
  const { page } = await uploadFile(user, 'Phone\n+12025550163\n', `${'a'.repeat(199)}😀.csv`)
  expect(page.html).toContain(`<h1>${'a'.repeat(199)}</h1>`)
})

/** Rejects each write of a contact with this number, as if it had a value that the database can't store. */
async function rejectNumber(number: string): Promise<() => Promise<unknown>> {
  const alter = (change: RawBuilder<unknown>) =>
    asSuperuser(world.database.db, (db) => sql`alter table contact ${change}`.execute(db))
  await alter(sql`add constraint rejects_a_number check (phone_number <> ${sql.lit(number)}) not valid`)
  return () => alter(sql`drop constraint rejects_a_number`)
}

const numbers = Array.from({ length: 60 }, (_, index) => `+1202558${String(index).padStart(4, '0')}`)

it('if an import fails repeatedly, marks it as failed, and keeps the contacts that were already saved', async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, `Phone\n${numbers.join('\n')}\n`)
  const acceptAgain = await rejectNumber('+12025580055')
  await user.browser.press(page, 'Import contacts')
  const failed = await waitUntilSettled(user, path)
  await acceptAgain()
  expect(failed.text).toContain('Something went wrong on our side. Upload the file again.')
  expect(await listContacts(user)).toHaveLength(50)
}, 60_000)

it("lets a user discard a file before or while a worker reads or checks it, and stops the worker's processing", async () => {
  await worker.stop()
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { db } = world.database
  const never = new AbortController().signal
  const lease = async () => {
    const [job] = await leaseImports(db, 1)
    if (job === undefined) throw new Error('no import to lease')
    return job
  }
  const file = `Phone\n${Array.from({ length: 5_000 }, (_, index) => `+1202${5_550_000 + index}`).join('\n')}\n`
  const uploadAgain = async () => (await upload(user, 'leads.csv', file)).path
  const discard = async (path: string) => {
    const { page } = await user.browser.press(await user.open(path), 'Discard file')
    expect(page.text).toContain('File discarded.')
    expect((await user.open(path)).status).toBe(404)
  }

  await discard(await uploadAgain())

  const reading = await uploadAgain()
  const reader = await lease()
  await discard(reading)
  await findColumns(deps, reader)

  const checking = await uploadAgain()
  await findColumns(deps, await lease())
  await user.browser.press(await user.open(checking), 'Check file')
  const running = checkImport(deps, await lease(), never)
  await waitFor(
    async () => (await db.selectFrom('contact_import_row').select('position').execute()).length > 0,
  )
  await discard(checking)
  await running
  expect(
    await db
      .selectFrom('contact_import')
      .select('id')
      .where('workspace_id', '=', user.seed.workspaceId)
      .execute(),
  ).toEqual([])
}, 60_000)
