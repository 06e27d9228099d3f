import { beforeAll, expect, it } from '@jest/globals'
import { addDocument } from '../../tools/knowledge/documents.ts'
import { addContact } from '../support/calls.ts'
import { itInChromium } from '../support/chromium.ts'
import { expectAccessible, openTab, useOwnerWorld } from '../support/dashboard.ts'

const { world, user } = useOwnerWorld('Acme & <i>Sons</i>')
beforeAll(async () => {
  const { workspaceId, campaignId } = user.seed
  const caller = { workspaceId, userId: user.userId, apiKeyId: null, clientId: null, scopes: [] }
  await addContact(world.service.deps, caller, {
    phone_number: '+12025550100',
    campaign_id: campaignId,
    first_name: '<img src=x onerror=alert(1)>',
    variables: { product: '<script>alert(1)</script>' },
  })
  await addDocument(world.service.deps, workspaceId, {
    title: '<b>Prices</b>',
    body: 'A roof costs <em>much</em>.',
  })
})

interface CrawledPage {
  path: string
  status: number
  type: string
  html: string
  csp: string
}

let crawlResult: Promise<CrawledPage[]> | undefined

/** Returns every page that links from the overview lead to. Visits at most three URLs that differ only in their query. */
function crawlPages(): Promise<CrawledPage[]> {
  crawlResult ??= (async () => {
    const found = new Map<string, CrawledPage>()
    const seen = new Map<string, number>()
    const waiting = [new URL(user.urlFor('/overview')).pathname]
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (found.has(path)) continue
      const bare = path.split('?')[0] ?? path
      seen.set(bare, (seen.get(bare) ?? 0) + 1)
      if ((seen.get(bare) ?? 0) > 3) continue
      const { page } = await user.browser.open(`${world.service.url}${path}`)
      const type = page.headers.get('content-type') ?? ''
      const csp = page.headers.get('content-security-policy') ?? ''
      found.set(path, { path, status: page.status, type, html: page.html, csp })
      if (!type.startsWith('text/html')) continue
      for (const [, link = ''] of page.html.matchAll(/<a\s[^>]*?href="([^"#]*)/g)) {
        const target = new URL(link.replaceAll('&amp;', '&'), new URL(path, world.service.url))
        if (target.origin === world.service.url) waiting.push(target.pathname + target.search)
      }
    }
    return [...found.values()]
  })()
  return crawlResult
}

const pages = async () =>
  (await crawlPages()).filter(({ type, path }) => type.startsWith('text/html') && path.startsWith('/w/'))

it('no page has a broken link', async () => {
  const broken = (await crawlPages()).filter(({ status }) => status !== 200)
  expect(broken.map(({ path, status }) => `${path} ${status}`)).toEqual([])
  expect((await pages()).length).toBeGreaterThan(20)
}, 60_000)

it('every page has a language, a title, and one main heading', async () => {
  for (const { path, html } of await pages()) {
    expect([path, html.match(/<h1[\s>]/g)?.length]).toEqual([path, 1])
    expect(html).toContain('<html lang="en">')
    expect(html).toMatch(/<title>[^<]+ · Acme &amp; &lt;i&gt;Sons/)
    expect(html).toContain('href="#main"')
  }
}, 60_000)

it('no page has inline scripts or styles', async () => {
  for (const { path, html, csp } of await pages()) {
    expect([path, csp]).toEqual([path, expect.stringContaining("script-src 'self'")])
    expect(csp).not.toContain('unsafe')
    expect(html.match(/<script(?![^>]*src=)|\sstyle="|<style|\son\w+="|javascript:/g) ?? []).toEqual([])
  }
}, 60_000)

it('shows HTML in user input as text', async () => {
  const all = (await pages()).map(({ html }) => html).join('\n')
  expect(all).toContain('&lt;img src=x onerror=alert(1)&gt;')
  expect(all).not.toContain('<img src=x')
  expect(all).not.toContain('<script>alert')
  expect(all).not.toContain('<b>Prices')
}, 60_000)

it('every form that changes something has a CSRF token and a submission ID', async () => {
  for (const { path, html } of await pages()) {
    for (const [formHtml] of html.matchAll(/<form[^>]*method="post"[\s\S]*?<\/form>/g)) {
      expect([path, formHtml]).toEqual([path, expect.stringMatching(/name="_csrf" value="[^"]+"/)])
      expect([path, formHtml]).toEqual([path, expect.stringMatching(/name="_once" value="[\da-f-]{36}"/)])
    }
  }
}, 60_000)

it('no page has duplicate element IDs', async () => {
  for (const { path, html } of await pages()) {
    const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
    expect([path, ids.filter((id, index) => ids.indexOf(id) !== index)]).toEqual([path, []])
  }
}, 60_000)

itInChromium(
  'every kind of page fits a phone screen and is accessible, in light or dark mode',
  async (chromium) => {
    const tab = await openTab(world.service, chromium, user)
    const consoleErrors: string[] = []
    tab.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
    const first = new Map<string, string>()
    for (const { path } of await pages()) {
      const kind = path.replace(/\?.*/, '').replace(/\d+/g, 'N')
      if (!first.has(kind)) first.set(kind, path)
    }
    for (const [index, path] of [...first.values()].entries()) {
      await tab.emulateMedia({ colorScheme: index % 2 === 0 ? 'light' : 'dark' })
      await tab.setViewportSize({ width: 390, height: 844 })
      await tab.goto(`${world.service.url}${path}`)
      const width = await tab.evaluate<number>('document.documentElement.scrollWidth')
      expect([path, width]).toEqual([path, 390])
      await expectAccessible(tab)
    }
    expect(consoleErrors).toEqual([])
  },
  300_000,
)

it("for a path that doesn't exist, returns a page to a browser, and JSON to a program", async () => {
  const { page } = await user.browser.open(`${world.service.url}/nope`)
  expect(page.status).toBe(404)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.text).toContain("This page doesn't exist")
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  for (const [path, accept] of [
    ['/nope', '*/*'],
    ['/api/public/v1/nope', 'text/html'],
    ['/sign-out', 'text/html'],
  ] as const) {
    const response = await fetch(`${world.service.url}${path}`, { headers: { accept } })
    expect([path, response.headers.get('content-type')]).toEqual([path, 'application/json; charset=utf-8'])
  }
})
