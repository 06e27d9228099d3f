// cspell:ignore Dispo couldn
import { expect, it } from '@jest/globals'
import { createBrowser } from '../../../support/browser.ts'
import { csrfTokenOf } from '../support/csrf.ts'
import { password, seedSignedInOwner, useOwnerWorld } from '../support/dashboard.ts'

const { world, user } = useOwnerWorld()

async function send(path: string, type: string, body: string): Promise<{ status: number; html: string }> {
  const headers = { cookie: user.browser.cookies().join('; '), 'content-type': type }
  const response = await fetch(user.urlFor(path), { method: 'POST', redirect: 'manual', headers, body })
  return { status: response.status, html: await response.text() }
}

const csrf = async () => csrfTokenOf((await user.open('/account')).html)

interface Part {
  name: string
  value: string
  file?: string
}

const multipart = (parts: Part[]): string =>
  [
    ...parts.map(({ name, value, file }) => {
      const fileName = file === undefined ? '' : `; filename="${file}"`
      return `--XX\r\nContent-Disposition: form-data; name="${name}"${fileName}\r\n\r\n${value}\r\n`
    }),
    '--XX--\r\n',
  ].join('')

const isMultipart = 'multipart/form-data; boundary=XX'

it.each([
  ['application/json', '{"name":"Ava"}'],
  ['application/json', '{'],
  ['application/json', ''],
  ['text/plain', 'name=Ava'],
  ['text/xml', '<name/>'],
])('rejects a form sent as %s: %s', async (type, body) => {
  const { status, html } = await send('/agents/new', type, body)
  expect(status).toBe(415)
  expect(html).toContain('The form couldn&#39;t be submitted')
})

it.each<[string, (token: Part) => string, number]>([
  ['that is truncated', () => '--XX\r\nContent-Dispo', 400],
  [
    'with two files',
    (token) =>
      multipart([
        token,
        { name: 'file', value: 'a', file: 'a.txt' },
        { name: 'file', value: 'b', file: 'b.txt' },
      ]),
    400,
  ],
  [
    'with too many fields',
    (token) => multipart([token, ...Array.from({ length: 200 }, (_, at) => ({ name: `f${at}`, value: '' }))]),
    400,
  ],
  ['with a field named __proto__', (token) => multipart([token, { name: '__proto__', value: 'x' }]), 400],
  [
    'with a field value over 1 MiB',
    (token) => multipart([token, { name: 'title', value: 'x'.repeat(1_100_000) }]),
    413,
  ],
])('rejects a form %s', async (_name, body, expected) => {
  const { status, html } = await send(
    '/knowledge/new',
    isMultipart,
    body({ name: '_csrf', value: await csrf() }),
  )
  expect(status).toBe(expected)
  expect(html).toContain('The form couldn&#39;t be submitted')
})

it('rejects a multipart form without a boundary', async () => {
  expect((await send('/knowledge/new', 'multipart/form-data', 'x')).status).toBe(400)
})

it('returns 404 for an ID that contains NUL', async () => {
  for (const path of ['/spreadsheets/%00', '/spreadsheets/%00/csv', '/agents/1/tools/%00', '/calls/%00']) {
    expect([path, (await user.open(path)).status]).toEqual([path, 404])
  }
})

it.each([
  '/%00',
  '/%E2%98%83',
  '/%C3%A9',
  '//evil.example',
  '/%5Cevil.example',
  '/%0d%0aX-Evil:1',
  'https:evil',
])('redirects to the home page after sign-in if the query parameter next is %s', async (next) => {
  const cookie = user.browser.cookies().join('; ')
  const response = await fetch(`${world.service.url}/sign-in?next=${next}`, {
    redirect: 'manual',
    headers: { cookie },
  })
  expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
  const { page } = await createBrowser().open(`${world.service.url}/sign-in?next=${next}`)
  expect(page.html).toContain('action="/sign-in?next=%2F"')
})

it('shows a page even if its query parameters contain NUL', async () => {
  for (const path of ['/calls', '/calls/export', '/contacts', '/contacts/export', '/knowledge']) {
    const { status } = await user.open(`${path}?search=%00&q=a%00&q=b`)
    expect([path, status]).toEqual([path, 200])
  }
})

it.each(['1.5', '9223372036854775808', '-1', 'x'])('rejects the invalid campaign ID %s', async (campaign) => {
  const contact = await world.database.db
    .insertInto('contact')
    .values({ workspace_id: user.seed.workspaceId, phone_number: `+1202555${campaign.length}123` })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const path of ['call', 'add-to-campaign']) {
    const body = new URLSearchParams({ _csrf: await csrf(), campaign_id: campaign }).toString()
    const sent = await send(`/contacts/${contact.id}/${path}`, 'application/x-www-form-urlencoded', body)
    expect([path, sent.status]).toEqual([path, 422])
  }
})

it("if the session expired, says that the form wasn't submitted, and returns to the form after sign-in", async () => {
  const { browser, open, email, userId } = await seedSignedInOwner(world.service)
  const form = await open('/agents/new')
  await world.database.db.deleteFrom('session').where('user_id', '=', userId).execute()
  const { page } = await browser.press(form, 'Create draft', { name: 'Ava' })
  expect(page.text).toContain("Your session expired and the form wasn't submitted")
  const again = await browser.press(page, 'Sign in', { email, password })
  expect(again.page.url).toBe(form.url)
})
