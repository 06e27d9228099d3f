import { beforeAll, expect, it } from '@jest/globals'
import { seedCall } from '../../support/calls.ts'
import { useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'

const { world, startWorker, waitUntilSettled, uploadAndCheck } = useImportWorld()
beforeAll(() => void startWorker())

/** Imports 60 contacts with calls, more than a page of the lists, into a workspace that has another contact. */
async function seedImport() {
  const user = await seedSignedInOwner(world.service)
  await seedCall(world.service.deps, user.seed, '+12025570100', { first_name: 'Other' })
  const rows = Array.from({ length: 60 }, (_, index) => `+120255801${index + 10},P${index + 10}`)
  const { path, page } = await uploadAndCheck(user, ['Phone,First name', ...rows].join('\n'), {}, 'march.csv')
  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  const done = await waitUntilSettled(user, path)
  const download = async (link: string) => {
    const response = await fetch(user.urlFor(link), {
      headers: { cookie: user.browser.cookies().join('; ') },
    })
    return response.text()
  }
  return { user, path, done, id: Number(path.split('/').at(-1)), download }
}

const countRows = (html: string): number => html.match(/<th scope="row">/g)?.length ?? 0

/** Returns the paths in the workspace that a page links to. */
const listLinks = (html: string): string[] =>
  [...html.matchAll(/href="\/w\/\d+(\/[^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'))

it.each([
  { list: '/contacts', label: 'View contacts', download: '/contacts/export' },
  { list: '/calls', label: 'View calls', download: '/calls/export' },
])(
  '$list can show only what one import added, also on later pages, in searches, and in the export',
  async (target) => {
    const { user, path, done, id, download } = await seedImport()
    const filtered = `${target.list}?import=${id}`
    expect(done.html).toContain(`${filtered}">${target.label}</a>`)
    const page = await user.open(filtered)
    expect(page.text).toContain('From import: march.csv')
    expect(countRows(page.html)).toBe(50)
    const next = listLinks(page.html).find((link) => link.includes('before='))
    expect(next).toContain(`import=${id}`)
    const last = await user.open(next ?? '')
    expect(countRows(last.html)).toBe(10)
    expect(last.text).not.toContain('Other')
    // The search form keeps the filter in a hidden field.
    expect(page.html).toContain(`<input type="hidden" name="import" value="${id}">`)
    const found = await user.open(`${target.list}?search=P42&import=${id}`)
    expect(countRows(found.html)).toBe(1)
    expect(listLinks(found.html)).toContain(`${target.list}?search=P42`)
    expect(countRows((await user.open(`${target.list}?search=Other&import=${id}`)).html)).toBe(0)
    const exportLink = listLinks(page.html).find((link) => link.startsWith(target.download))
    expect((await download(exportLink ?? '')).trim().split('\n')).toHaveLength(61)

    await user.browser.press(await user.open(path), 'Discard file')
    const afterward = await user.open(filtered)
    expect(afterward.text).toContain('From import: a file that was deleted')
    expect(countRows(afterward.html)).toBe(50)
  },
)

it("shows an empty list if the filter has the ID of another workspace's import", async () => {
  const { id } = await seedImport()
  const stranger = await seedSignedInOwner(world.service)
  await seedCall(world.service.deps, stranger.seed, '+12025570100')
  for (const list of ['/contacts', '/calls']) {
    const page = await stranger.open(`${list}?import=${id}`)
    expect(page.text).not.toContain('march.csv')
    expect(countRows(page.html)).toBe(0)
  }
})
