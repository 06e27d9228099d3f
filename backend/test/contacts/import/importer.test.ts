import { beforeAll, expect, it } from '@jest/globals'
import type { Worker } from '../../../platform/core/worker.ts'
import { eraseContact } from '../../../privacy/erase-contact.ts'
import { isOnDoNotCallList } from '../../../queue/calls/check-do-not-call.ts'
import { checkImport, findColumns } from '../../../queue/contacts/import/check-import.ts'
import { leaseImports } from '../../../queue/contacts/import/import-store.ts'
import { runImport } from '../../../queue/contacts/import/run-import.ts'
import { seedCall } from '../../support/calls.ts'
import { getStat, upload, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { waitFor } from '../../support/wait.ts'

const { world, startWorker, waitUntilSettled, uploadAndCheck, listContacts } = useImportWorld()
let worker: Worker
beforeAll(() => {
  worker = startWorker()
})

it('if a process is lost, continues the import, and imports each row only once, even if two workers run', async () => {
  await worker.stop()
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const rows = Array.from({ length: 260 }, (_, index) => `+1202558${String(index).padStart(4, '0')},${index}`)
  const { path } = await upload(user, 'many.csv', ['Phone,Name', ...rows].join('\n'))
  const lease = async () => {
    const [job] = await leaseImports(world.database.db, 1)
    if (job === undefined) throw new Error('no import to lease')
    return job
  }
  const expire = () =>
    world.database.db
      .updateTable('contact_import')
      .set({ lease_until: new Date(0) })
      .execute()
  await findColumns(deps, await lease())
  await user.browser.press(await user.open(path), 'Check file')
  // The first check is aborted, the second loses its lease, and the third finishes. The second check's results are stale, so
  // they're rejected.
  await checkImport(deps, await lease(), AbortSignal.abort())
  const lost = await lease()
  await expire()
  const checker = await lease()
  await checkImport(deps, checker, new AbortController().signal)
  await checkImport(deps, lost, new AbortController().signal)
  const page = await waitUntilSettled(user, path)
  expect(getStat(page.html)).toMatchObject({ Rows: 260, 'New contacts': 260 })

  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  const first = await lease()
  await expire()
  const second = await lease()
  const stop = new AbortController()
  const running = runImport(deps, second, stop.signal)
  await runImport(deps, first, new AbortController().signal)
  stop.abort()
  await running
  worker = startWorker()
  const other = startWorker()
  const done = await waitUntilSettled(user, path)
  await other.stop()
  expect(done.text).toContain('260 of 260 rows processed: 260 new')
  expect(done.text).toContain('260 calls queued')
  expect(await listContacts(user)).toHaveLength(260)
}, 120_000)

it("processes one file of a workspace at a time, so that the files of other workspaces don't wait", async () => {
  await worker.stop()
  const user = await seedSignedInOwner(world.service)
  const other = await seedSignedInOwner(world.service)
  const file = 'Phone\n+12025580001'
  const first = await upload(user, 'first.csv', file)
  const second = await upload(user, 'second.csv', file)
  const others = await upload(other, 'other.csv', file)
  const { db } = world.database
  const leased = await leaseImports(db, 5)
  expect(new Set(leased.map(({ workspaceId }) => workspaceId))).toEqual(
    new Set([user.seed.workspaceId, other.seed.workspaceId]),
  )
  expect(leased).toHaveLength(2)
  expect(await leaseImports(db, 5)).toEqual([])
  worker = startWorker()
  await db.updateTable('contact_import').set({ lease_until: null }).execute()
  for (const [owner, { path }] of [
    [user, first],
    [user, second],
    [other, others],
  ] as const)
    expect((await waitUntilSettled(owner, path)).text).toContain('Columns to confirm')
})

it('if the campaign is archived during the import, stops the import and shows an error', async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, 'Phone\n+12025570101\n')
  await worker.stop()
  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  const { campaignId } = user.seed
  await world.database.db
    .updateTable('campaign')
    .set({ status: 'archived' })
    .where('id', '=', campaignId)
    .execute()
  worker = startWorker()
  const { text } = await waitUntilSettled(user, path)
  expect(text).toContain("The campaign was archived during the import. The remaining rows weren't imported.")
  expect(await listContacts(user)).toEqual([])
})

it("skips a number whose type the workspace doesn't call, such as premium-rate, says why, and imports the other rows", async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, 'Phone\n+19005550100\n+12025570101\n')
  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  const { text } = await waitUntilSettled(user, path)
  expect(text).toContain("This workspace doesn't call premium-rate")
  expect((await listContacts(user)).map(({ phone_number }) => phone_number)).toEqual(['+12025570101'])
})

it('puts a number on the do-not-call list even if the rest of the row is unreadable', async () => {
  const user = await seedSignedInOwner(world.service)
  const file = 'Phone,Do not call,Email,Time zone\n+12025570103,yes,N/A,Mars/Base\n'
  const { path, page } = await uploadAndCheck(user, file)
  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  await waitUntilSettled(user, path)
  expect(await isOnDoNotCallList(world.database.db, user.seed.workspaceId, '+12025570103')).toBe(true)
})

it("doesn't import a row whose contact was erased after the file was checked", async () => {
  const user = await seedSignedInOwner(world.service)
  const { contact } = await seedCall(world.service.deps, user.seed, '+12025570101')
  const { path, page } = await uploadAndCheck(user, 'Phone,Name\n+12025570101,Maya\n+12025570102,Ann\n')
  await eraseContact(world.service.deps, user.seed.workspaceId, contact.id)
  await waitUntilSettled(user, path)
  await user.browser.press(page, 'Import contacts')
  await waitUntilSettled(user, path)
  expect((await listContacts(user)).map(({ first_name }) => first_name)).toEqual([null, 'Ann'])
})

it('commits the rows in batches, so that the page shows progress during the import', async () => {
  // Twelve batches: more than can be committed between two requests of the page.
  const rowCount = 600
  const user = await seedSignedInOwner(world.service)
  const rows = Array.from(
    { length: rowCount },
    (_, index) => `+1202559${String(index).padStart(4, '0')},P${index}`,
  )
  const { path, page } = await uploadAndCheck(user, ['Phone,Name', ...rows].join('\n'))
  await user.browser.press(page, 'Import contacts')
  const seen = new Set<number>()
  await waitFor(async () => {
    const { text } = await user.open(path)
    const written = Number(/\b(\d+) of 600 rows processed/.exec(text)?.[1])
    seen.add(written)
    return written === rowCount
  })
  expect([...seen].filter((written) => written > 0 && written < rowCount).length).toBeGreaterThan(0)
  expect(await listContacts(user)).toHaveLength(rowCount)
})
