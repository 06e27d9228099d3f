import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import type { Worker } from '../../../platform/core/worker.ts'
import { eraseContact } from '../../../privacy/erase-contact.ts'
import { startFileNameErasure } from '../../../queue/contacts/import/erase-file-names.ts'
import { namesPerson } from '../../../queue/contacts/import/find-person.ts'
import { seedCall } from '../../support/calls.ts'
import { useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { waitForValue } from '../../support/wait.ts'

const { world, startWorker, uploadAndCheck, waitUntilSettled } = useImportWorld()
let worker: Worker
beforeAll(() => {
  worker = startWorker()
})
afterAll(() => worker.stop())

/** Returns the tables with a row that contains the text. */
async function findTables(text: string): Promise<string[]> {
  const { db } = world.database
  const tables = [
    'contact_import',
    'contact',
    'contact_change',
    'contact_change_values',
    'call',
    'do_not_call',
    'event',
  ]
  const found: string[] = []
  for (const name of tables) {
    const { rows } = await sql`
      select from ${sql.table(name)} t where strpos(to_jsonb(t)::text, ${text}) > 0 limit 1`.execute(db)
    if (rows.length > 0) found.push(name)
  }
  return found
}

const eraseNames = async () => {
  const job = startFileNameErasure(world.service.deps)
  await waitForValue(
    () => world.database.db.selectFrom('erased_file_name').selectAll().execute(),
    (rows) => rows.length === 0,
  )
  await job.stop()
}

it("if a file's name contains an erased person's details, removes the name from every table that it was copied to", async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed } = user
  const { contact } = await seedCall(world.service.deps, seed, '+12025570181', { email: 'erin@x.example' })
  const sam = await seedCall(world.service.deps, seed, '+12025570182')
  const name = 'erin@x.example 202-557-0181.csv'
  const rows = ['Phone,Name,Do not call', '+12025570182,Sam,', '+12025570183,Ann,', '+12025570184,Bo,yes']
  const { path, page } = await uploadAndCheck(user, rows.join('\n'), {}, name)
  await user.browser.press(page, 'Import contacts', { campaign_id: String(seed.campaignId) })
  await waitUntilSettled(user, path)
  expect(await findTables('erin@x.example 202')).toEqual([
    'contact_import',
    'contact',
    'contact_change',
    'call',
    'do_not_call',
  ])

  await eraseContact(world.service.deps, seed.workspaceId, contact.id)
  expect((await user.open('/contacts/import')).text).not.toContain('erin')
  expect((await user.open('/contacts/import')).text).toContain('erased-name.csv')
  await eraseNames()
  expect(await findTables('erin')).toEqual([])
  const { text } = await user.open(`/contacts/${sam.contact.id}`)
  expect(text).toContain('By an import , uploaded by')
})

it('removes a file name that identifies an erased person, even if the file was deleted before the erasure', async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed } = user
  const { contact } = await seedCall(world.service.deps, seed, '+12025570191')
  const { path, page } = await uploadAndCheck(user, 'Phone\n+12025570192\n', {}, 'for +12025570191.csv')
  await user.browser.press(page, 'Import contacts')
  await user.browser.press(await waitUntilSettled(user, path), 'Discard file')
  expect(await findTables('for +12025570191')).toEqual(['contact', 'contact_change'])
  await eraseContact(world.service.deps, seed.workspaceId, contact.id)
  await eraseNames()
  expect(await findTables('12025570191')).toEqual([])
})

it("keeps a file name that doesn't identify the erased person", async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed } = user
  const { contact } = await seedCall(world.service.deps, seed, '+12025570195', { first_name: 'May' })
  const { path, page } = await uploadAndCheck(user, 'Phone\n+12025570196\n', {}, 'leads of May.csv')
  await user.browser.press(page, 'Import contacts')
  await waitUntilSettled(user, path)
  await eraseContact(world.service.deps, seed.workspaceId, contact.id)
  expect(await findTables('leads of May')).toEqual(['contact_import', 'contact', 'contact_change'])
})

describe('the name of a file', () => {
  const person = {
    phoneNumber: '+12025550181',
    digits: '2025550181',
    email: 'Erin@x.example',
    externalId: 'crm-7781',
    firstName: 'Erin',
    lastName: "O'Neil",
  }

  it.each([
    'leads (202) 555-0181.csv',
    'ERIN@X.EXAMPLE.csv',
    "erin o'neil.csv",
    "ONLY_O'NEIL, ERIN (2).CSV",
    'crm-7781.csv',
    'CRM 7781 export.csv',
  ])('identifies the person: %s', (name) => {
    expect(namesPerson(name, person)).toBe(true)
  })

  it.each(['erin.csv', 'neil leads.csv', 'crm-77812.csv', 'leads 2026-11-27.csv', "Catering O'Neil.csv"])(
    "doesn't identify the person: %s",
    (name) => {
      expect(namesPerson(name, person)).toBe(false)
    },
  )

  it("doesn't identify the person if it contains only a short external ID, such as 12", () => {
    expect(namesPerson('leads 12.csv', { ...person, externalId: '12' })).toBe(false)
  })
})
