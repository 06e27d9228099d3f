import { beforeAll, describe, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { connect } from '../../../platform/db/connect.ts'
import { getColumnFields, upload, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { waitFor } from '../../support/wait.ts'

const { world, startWorker, uploadFile, uploadAndCheck } = useImportWorld()

const toId = (path: string): number => Number(path.split('/').at(-1))

const findStatus = async (path: string): Promise<string | undefined> => {
  const { db } = world.database
  const row = await db
    .selectFrom('contact_import')
    .select('status')
    .where('id', '=', toId(path))
    .executeTakeFirst()
  return row?.status
}

it('lets a user discard a file that is waiting to be read', async () => {
  const user = await seedSignedInOwner(world.service)
  const { path } = await upload(user, 'leads.csv', 'Phone\n+12025550301\n')
  const page = await user.open(path)
  expect(page.text).toContain('Reading columns')
  expect((await user.browser.press(page, 'Discard file')).page.text).toContain('File discarded.')
  expect(await findStatus(path)).toBeUndefined()
})

describe('a running worker', () => {
  beforeAll(() => void startWorker())

  const filler = (length: number) => 'a'.repeat(length)
  it.each([
    ['a sample', `Phone,Note\n+12025550163,${filler(79)}😀 tail\n`],
    ['a header', `Phone,${filler(99)}😀 header\n+12025550163,v\n`],
    ['a long header', `Phone,${filler(499)}😀 header\n+12025550163,v\n`],
    ['a country', `Phone,Country\n2025550163,${filler(49)}😀 maybe\n`],
    ['two countries', `Phone,Country,Country code\n2025550163,${filler(49)}😀,${filler(49)}😀\n`],
    ['an answer', `Phone,Do not call\n+12025550163,${filler(49)}😀 maybe\n`],
    ['a header in an issue', `Phone,Do not call ${filler(87)}😀\n+12025550163,what\n`],
    ['a consent source', `Phone,Consent source,Consent date\n+12025550163,no${filler(47)}😀,yesterday\n`],
  ])('checks a file without an error, even if %s would be cut off within an emoji', async (_, file) => {
    const user = await seedSignedInOwner(world.service)
    const { path, page } = await uploadAndCheck(user, file)
    expect([await findStatus(path), page.text.includes('Something went wrong')]).toEqual(['checked', false])
  })

  it('if checking a file keeps failing after some rows, marks the file as failed', async () => {
    const user = await seedSignedInOwner(world.service)
    const owner = connect({ url: world.database.url, max: 1 })
    const rows = Array.from({ length: 1_500 }, (_, index) => `+1202${5_550_000 + index}`)
    const uploaded = await uploadFile(user, `Phone\n${rows.join('\n')}\n`)
    const id = toId(uploaded.path)
    await sql`
      create function break_off() returns trigger language plpgsql as $$
      begin raise exception 'broken off'; end $$`.execute(owner)
    await sql
      .raw(
        `create trigger break_off before insert on contact_import_row for each row
         when (new.import_id = ${id} and new.position > 1400) execute function break_off()`,
      )
      .execute(owner)
    await user.browser.press(uploaded.page, 'Check file')
    const endLease = () =>
      sql`update contact_import set lease_until = null where id = ${id} and status = 'checking'`.execute(
        owner,
      )
    await waitFor(
      async () => (await findStatus(uploaded.path)) === 'failed',
      () => void endLease(),
      30_000,
    )
    await sql`drop trigger break_off on contact_import_row`.execute(owner)
    await owner.destroy()
    expect((await user.open(uploaded.path)).text).toContain('Something went wrong on our side.')
  })

  it('saves at most ten issues per row, a note about further ones, and shortened column names', async () => {
    const user = await seedSignedInOwner(world.service)
    const headers = Array.from({ length: 150 }, (_, index) => `Do not call ${index} ${filler(450)}`)
    const cells = headers.map(() => 'what')
    const { path } = await uploadAndCheck(
      user,
      `Phone,${headers.join(',')}\nq,${cells.join(',')}\n+12025550164,${cells.join(',')}\n`,
      Object.fromEntries(headers.map((header) => [header, 'do_not_call'])),
    )
    const csv = (await user.open(`${path}/issues`)).html
    const lines = csv.trim().split('\r\n').slice(1)
    expect(lines).toHaveLength(22)
    expect(lines.filter((line) => line.includes('more cells of this row have issues.'))).toHaveLength(2)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(400)
  })

  it('when a file of rejected rows is uploaded again, recognizes the headers that look like formulas', async () => {
    const user = await seedSignedInOwner(world.service)
    const { path } = await uploadAndCheck(user, 'Phone,=Note\nq,x\n')
    const rejected = (await user.open(`${path}/rejected`)).html
    expect(rejected).toContain("'=Note")
    const { page } = await uploadFile(user, rejected)
    expect(getColumnFields(page.html).map(({ header }) => header)).toContain('=Note')
  })
})
