import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { useOwnerWorld } from '../support/dashboard.ts'

const { world, user } = useOwnerWorld()

const count = async (table: string): Promise<number> => {
  const { rows } = await sql<{
    count: number
  }>`select count(*)::int as count from ${sql.table(table)}`.execute(world.database.db)
  return rows[0]?.count ?? 0
}

it.each<[string, string, string, Record<string, string>]>([
  ['agent', '/agents/new', 'Create draft', { name: 'Twice' }],
  ['api_key', '/settings/api-keys/new', 'Create key', { name: 'Twice' }],
  ['campaign', '/campaigns/new', 'Create campaign', { name: 'Twice', consent_required: 'none' }],
  ['contact', '/contacts/new', 'Add contact', { phone_number: '+12025550161', first_name: 'Twice' }],
  ['invitation', '/settings/members/invite', 'Create link', { email: 'twice@example.com' }],
  ['knowledge_document', '/knowledge/new', 'Add document', { title: 'Twice', body: 'A text.' }],
  [
    'mcp_tool',
    '/tools/new-http',
    'Add tool',
    { name: 'twice', description: 'Looks up', url: 'https://example.com/' },
  ],
  ['phone_number', '/phone-numbers/new', 'Add number', { phone_number: '+12025550162', label: 'Twice' }],
  ['spreadsheet', '/spreadsheets/new', 'Create spreadsheet', { name: 'Twice', columns: 'Name' }],
])(
  'creates only one %s when the same form is submitted three times at the same time',
  async (table, path, button, fields) => {
    const before = await count(table)
    const form = await user.open(path)
    const results = await Promise.all([1, 2, 3].map(() => user.browser.press(form, button, fields)))
    expect(results.map(({ page }) => page.status)).toEqual([200, 200, 200])
    expect(results.some(({ page }) => page.text.includes('Something went wrong'))).toBe(false)
    expect((await count(table)) - before).toBe(1)
    // Submitting a newly opened form creates another object.
    const { page } = await user.browser.press(await user.open(path), button, {
      ...fields,
      ...('name' in fields && { name: 'again' }),
      ...('phone_number' in fields && { phone_number: '+12025550165' }),
    })
    expect(page.status).toBe(200)
    expect((await count(table)) - before).toBe(2)
  },
)

it('rejects uploads without a CSRF token, and sign-in, account, and workspace forms with a wrong one', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' }
  const body = new URLSearchParams({
    email: user.email,
    password: 'correct horse battery',
    name: 'Eve',
  }).toString()
  const before = await count('session')
  for (const path of [
    '/sign-in',
    '/sign-up',
    '/sign-out',
    '/invitations/x',
    '/reset-password/x',
    '/workspaces/new',
  ]) {
    const cookie = user.browser.cookies().join('; ')
    for (const cookieHeaders of [{}, { cookie }]) {
      const response = await fetch(`${world.service.url}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { ...headers, ...cookieHeaders },
        body: `${body}&_csrf=guessed`,
      })
      expect([path, response.status]).toEqual([path, 403])
    }
  }
  for (const path of ['/knowledge/new', '/contacts/import']) {
    const file = new FormData()
    file.set('file', new Blob(['Phone\n+12025550199\n']), 'leads.csv')
    const init = { method: 'POST', redirect: 'manual', body: file } as const
    const cookie = user.browser.cookies().join('; ')
    expect((await fetch(user.urlFor(path), { ...init, headers: { cookie } })).status).toBe(403)
    expect((await fetch(user.urlFor(path), init)).status).toBe(303)
  }
  expect([await count('session'), await count('contact_import')]).toEqual([before, 0])
})
