import { setTimeout as pause } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import type { Page } from '../../../../support/browser.ts'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, openTab, seedSignedInOwner, type SignedInUser } from '../../support/dashboard.ts'
import { createDocx, createPdf, createZlibDeflated, pdf } from '../../support/document-files.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

const warranty = {
  title: 'Warranty',
  body: 'Every new roof has a warranty of ten years.\n\nRepairs have two.',
}

const add = async (
  { browser, open }: SignedInUser,
  document: { title: string; body: string },
): Promise<Page> => {
  const { page } = await browser.press(await open('/knowledge/new'), 'Add document', document)
  return page
}

/** Submits the form with a file as a browser does, and follows the redirect if the file is accepted. */
async function upload(
  { browser, urlFor, open }: SignedInUser,
  file: { name: string; bytes: Uint8Array },
  fields: { title?: string; body?: string } = {},
  form?: Page,
): Promise<{ status: number; html: string }> {
  const { html } = form ?? (await open('/knowledge/new'))
  const body = new FormData()
  for (const name of ['_csrf', '_once']) {
    body.set(name, new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '')
  }
  body.set('title', fields.title ?? '')
  body.set('file', new Blob([Buffer.from(file.bytes)]), file.name)
  body.set('body', fields.body ?? '')
  const response = await fetch(urlFor('/knowledge/new'), {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { cookie: browser.cookies().join('; '), origin: new URL(urlFor('')).origin },
  })
  const location = response.headers.get('location')
  if (location === null) return { status: response.status, html: await response.text() }
  const { page } = await browser.open(new URL(location, world.service.url).href)
  return page
}

const getFieldError = ({ html }: { html: string }, field: string): string =>
  new RegExp(`id="f-${field}-issue">([^<]*)<`).exec(html)?.[1] ?? ''

const listTitles = async ({ seed }: { seed: { workspaceId: number } }): Promise<string[]> => {
  const rows = await world.database.db
    .selectFrom('knowledge_document')
    .select('title')
    .where('workspace_id', '=', seed.workspaceId)
    .execute()
  return rows.map(({ title }) => title)
}

describe('the knowledge page', () => {
  it('says what to do if there are no documents', async () => {
    const { open } = await seedSignedInOwner(world.service)
    expect((await open('/knowledge')).text).toContain('Add your first document')
  })

  it('shows the passages an agent would get, in order, followed by other matches', async () => {
    const user = await seedSignedInOwner(world.service)
    for (const number of [1, 2, 3, 4]) await add(user, { title: `Gutters ${number}`, body: 'About gutters.' })
    await add(user, warranty)
    const { html } = await user.open('/knowledge?search=gutters')
    const [passages = '', below = ''] = html.split('More matches')
    expect(passages.match(/>Gutters \d</g)).toEqual(['>Gutters 1<', '>Gutters 2<', '>Gutters 3<'])
    expect(below).toContain('>Gutters 4<')
    expect(html).not.toContain('>Warranty<')
    expect((await user.open('/knowledge?search=elephant')).text).toContain('No passages found')
  })
})

describe('pasted documents', () => {
  it('are added and listed, and HTML in them is shown as text', async () => {
    const user = await seedSignedInOwner(world.service)
    const page = await add(user, { title: 'Terms <b>', body: '<script>alert(1)</script> is text.' })
    expect(page.text).toContain('Document added')
    expect(page.html).toContain('Terms &lt;b&gt;')
    expect(page.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; is text.')
    const list = await user.open('/knowledge')
    expect(list.html).toContain('Terms &lt;b&gt;')
    expect(list.html).toMatch(/<td class="number">34<\/td>\s*<td class="number">1<\/td>/)
  })

  it('can be edited and deleted', async () => {
    const user = await seedSignedInOwner(world.service)
    const page = await add(user, warranty)
    const { page: form } = await user.browser.open(`${page.url}/edit`)
    expect(form.html).toContain('Repairs have two.</textarea>')
    const { page: edited } = await user.browser.press(form, 'Save', {
      title: 'Guarantee',
      body: 'Fifteen years.',
    })
    expect(edited.text).toContain('Document saved')
    expect((await user.open('/knowledge?search=fifteen')).text).toContain('Guarantee')
    const { page: list } = await user.browser.press(edited, 'Delete document')
    expect(list.text).toContain('Document deleted')
    expect((await user.open('/knowledge?search=fifteen')).text).toContain('No passages found')
  })

  it("are rejected if they aren't valid, and the form shows the issue next to the field and keeps the entered values", async () => {
    const user = await seedSignedInOwner(world.service)
    const long = await add(user, { title: 'x'.repeat(201), body: 'A text.' })
    expect(long.status).toBe(422)
    expect(getFieldError(long, 'title')).toContain('at most 200 characters')
    expect(long.html).toContain('A text.</textarea>')
    expect(getFieldError(await add(user, { title: 'Kept', body: '' }), 'body')).toContain('choose a file')
    const both = await upload(user, { name: 'a.txt', bytes: Buffer.from('File') }, { body: 'Pasted' })
    expect(getFieldError(both, 'file')).toContain('not both')
    expect(await listTitles(user)).toEqual([])
  })

  it("can't be shown, edited, deleted, or found from another workspace", async () => {
    const mine = await seedSignedInOwner(world.service)
    const theirs = await seedSignedInOwner(world.service)
    const page = await add(theirs, warranty)
    const id = page.url.split('/').at(-1) ?? ''
    expect((await mine.open(`/knowledge/${id}`)).status).toBe(404)
    expect((await mine.open(`/knowledge/${id}/edit`)).status).toBe(404)
    expect((await mine.browser.open(page.url)).page.status).toBe(404)
    expect((await mine.open('/knowledge?search=warranty')).text).toContain('No passages found')
    const ownDocument = await add(mine, { title: 'Mine', body: 'Text' })
    const ownId = ownDocument.url.split('/').at(-1) ?? ''
    const forged = { ...ownDocument, html: ownDocument.html.replaceAll(`/${ownId}/delete`, `/${id}/delete`) }
    expect((await mine.browser.press(forged, 'Delete document')).page.status).toBe(404)
    expect(await listTitles(theirs)).toEqual(['Warranty'])
  })
})

describe('the upload form', () => {
  it.each([
    ['Prices.txt', Buffer.from('Free of charge')],
    ['Prices.md', Buffer.from('Free of charge')],
    ['Prices.html', Buffer.from('<p>Free <a href="/x">of charge</a><script>no()</script>')],
    ['Prices.pdf', createPdf('Free of charge')],
    ['Prices.docx', createDocx('Free of charge')],
  ])('accepts %s and uses the file name as the title', async (name, bytes) => {
    const user = await seedSignedInOwner(world.service)
    expect((await upload(user, { name, bytes })).html).toContain('<h1>Prices</h1>')
    const { html } = await user.open('/knowledge?search=charge')
    expect(html).toContain('>Prices<')
    expect(html).toContain('>Free of charge<')
  })

  it.each([
    ['with a password', 'a.pdf', pdf(deflateSync('x'), { isLocked: true }), 'password-protected'],
    ['that is a scan', 'a.pdf', pdf(deflateSync('0 0 m 9 9 l S')), 'it&#39;s a scan'],
    ['that is broken', 'a.pdf', Buffer.from('%PDF-1.7 …'), 'is damaged'],
    ['that is empty', 'a.docx', Buffer.alloc(0), 'is empty'],
    ['of an unsupported type', 'a.xlsx', Buffer.from('x'), 'Choose a .txt'],
    ['larger than 20 MB', 'a.txt', Buffer.alloc(20 * 1024 * 1024 + 1, 'roof '), 'larger than 20 MB'],
  ])(
    'rejects a file %s, shows an issue next to the field, and keeps the title',
    async (_, name, bytes, sentence) => {
      const user = await seedSignedInOwner(world.service)
      const page = await upload(user, { name, bytes }, { title: 'My title' })
      expect(page.status).toBe(422)
      expect(getFieldError(page, 'file')).toContain(sentence)
      expect(page.html).toContain('value="My title"')
      expect(await listTitles(user)).toEqual([])
    },
  )

  it('accepts a file of 20 MB, the maximum size', async () => {
    const user = await seedSignedInOwner(world.service)
    const bytes = Buffer.alloc(20 * 1024 * 1024, ' ')
    bytes.write('A roof.')
    expect((await upload(user, { name: 'Large.txt', bytes })).html).toContain('<h1>Large</h1>')
  })

  it('rejects a file that decompresses to gigabytes, and meanwhile responds to requests and uses less than 300 MB for it', async () => {
    const user = await seedSignedInOwner(world.service)
    const expandingFile = pdf(createZlibDeflated(256))
    const before = process.memoryUsage.rss()
    let answered: { html: string } | undefined
    const uploading = upload(user, { name: 'bomb.pdf', bytes: expandingFile }).then(
      (page) => (answered = page),
    )
    let served = 0
    let grown = 0
    while (answered === undefined) {
      const response = await fetch(`${world.service.url}/healthz`)
      expect(response.status).toBe(200)
      await response.body?.cancel()
      served += 1
      await pause(10)
      grown = Math.max(grown, process.memoryUsage.rss() - before)
    }
    // A fast machine reaches the memory limit first, and a slow one the time limit.
    expect(getFieldError(await uploading, 'file')).toMatch(/too much memory|took longer than 20 seconds/)
    expect(served).toBeGreaterThan(0)
    expect(grown).toBeLessThan(300 * 1024 * 1024)
  })

  it('adds only one document when the same form is submitted twice', async () => {
    const user = await seedSignedInOwner(world.service)
    const form = await user.open('/knowledge/new')
    const file = { name: 'Once.txt', bytes: Buffer.from('A roof.') }
    const pages = await Promise.all([upload(user, file, {}, form), upload(user, file, {}, form)])
    expect(pages.map(({ status }) => status)).toEqual([200, 200])
    expect(await listTitles(user)).toEqual(['Once'])
  })
})

itInChromium(
  'lets the user upload a PDF that a browser created and find its text, on accessible pages',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const tab = await openTab(world.service, chromium, user)
    const consoleErrors: string[] = []
    tab.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
    await tab.setContent(
      '<h1>Opening hours</h1><p>We open at nine, but on Sundays.</p><p>Call us before.</p>',
    )
    const buffer = await tab.pdf()
    await tab.goto(user.urlFor('/knowledge'))
    await expectAccessible(tab)

    await tab.getByRole('link', { name: 'Add document' }).click()
    await expectAccessible(tab)
    await tab
      .getByLabel('File')
      .setInputFiles({ name: 'bad.pdf', mimeType: 'application/pdf', buffer: Buffer.from('x') })
    await tab.getByRole('button', { name: 'Add document' }).click()
    await tab.locator('.issue', { hasText: 'The file is damaged' }).waitFor()
    await expectAccessible(tab)
    await tab.getByLabel('File').setInputFiles({ name: 'Hours.pdf', mimeType: 'application/pdf', buffer })
    await tab.getByRole('button', { name: 'Add document' }).click()
    await tab.getByRole('heading', { name: 'Hours' }).waitFor()
    await tab.getByText('We open at nine, but on Sundays.').waitFor()
    await expectAccessible(tab)
    await tab.getByRole('link', { name: 'Edit' }).click()
    await tab.getByRole('heading', { name: 'Edit document' }).waitFor()
    await expectAccessible(tab)

    await tab.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Knowledge' }).click()
    await tab.getByLabel('Test a question').pressSequentially('sunday')
    await tab.getByRole('heading', { name: 'Passages for the agent' }).waitFor()
    await tab.getByText('We open at nine').waitFor()
    await tab.waitForURL((url) => url.searchParams.get('search') === 'sunday')
    await expectAccessible(tab)
    expect(consoleErrors.filter((text) => !text.includes('422'))).toEqual([])
  },
)
