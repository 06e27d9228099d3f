import { expect } from '@jest/globals'
import { seedCall } from '../support/calls.ts'
import { itInChromium } from '../support/chromium.ts'
import { expectAccessible, openTab, seedSignedInOwner } from '../support/dashboard.ts'
import { freshNumber, seedCampaign } from '../support/factories.ts'
import { useServiceWorld } from '../support/service.ts'

const world = useServiceWorld()

itInChromium('shows the latest search results even if earlier responses never arrive', async (chromium) => {
  const user = await seedSignedInOwner(world.service)
  for (const name of ['Maya', 'Noor']) {
    await seedCall(world.service.deps, user.seed, freshNumber(), { first_name: name })
    await seedCampaign(world.service.deps, { ...user.seed, name })
  }
  const tab = await openTab(world.service, chromium, user)

  for (const path of ['/calls', '/campaigns']) {
    const isFor = (address: string, search: string | null) => {
      const url = new URL(address)
      return url.pathname.endsWith(path) && url.searchParams.get('search') === search
    }
    /** Resolves when the page requests a search, which never gets a response. Null stands for the whole list. */
    const stall = async (search: string | null) => {
      await tab.route(
        (url) => isFor(url.href, search),
        () => {},
      )
      return tab.waitForRequest((request) => isFor(request.url(), search))
    }
    await tab.goto(user.urlFor(path))
    const followed = await stall(null)
    const first = stall('m')
    const isLeft = tab.waitForEvent('requestfailed', (request) => request === followed)
    await tab.getByLabel('Search').press('m')
    await Promise.all([first, isLeft])
    await tab.getByLabel('Search').pressSequentially('ay')
    await tab.waitForURL((url) => isFor(url.href, 'may'))
    await tab.getByRole('link', { name: 'Noor' }).waitFor({ state: 'detached' })
    expect(await tab.getByRole('link', { name: 'Maya' }).count()).toBe(1)
  }
})

itInChromium('marks the previous results as busy until the new ones arrive', async (chromium) => {
  const user = await seedSignedInOwner(world.service)
  await seedCall(world.service.deps, user.seed, freshNumber(), { first_name: 'Maya' })
  const tab = await openTab(world.service, chromium, user)
  for (const [path, results] of [
    ['/calls', '#live'],
    ['/contacts', '#results'],
  ] as const) {
    await tab.goto(user.urlFor(path))
    const isTyped = Promise.withResolvers<void>()
    await tab.route(/search=Ma/, async (route) => {
      await isTyped.promise
      await route.continue()
    })
    await tab.getByLabel('Search').fill('Ma')
    await tab.locator(`${results}[aria-busy=true]`).waitFor()
    isTyped.resolve()
    await tab.locator(`${results}:not([aria-busy])`).waitFor()
    await tab.unrouteAll({ behavior: 'wait' })
  }
})

itInChromium('keeps the search in the URL without adding history entries', async (chromium) => {
  const user = await seedSignedInOwner(world.service)
  const tab = await openTab(world.service, chromium, user)
  for (const path of ['/calls', '/campaigns', '/contacts', '/knowledge']) {
    await tab.goto(user.urlFor('/settings'))
    await tab.goto(user.urlFor(path))
    for (const search of ['m', 'ma']) {
      await tab.getByRole('searchbox').fill(search)
      await tab.waitForURL((url) => url.searchParams.get('search') === search)
    }
    await tab.goBack()
    expect(new URL(tab.url()).pathname).toBe(new URL(user.urlFor('/settings')).pathname)
  }
})

itInChromium(
  'keeps the list while the service is unavailable, and recovers automatically',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    for (const name of ['Maya', 'Noor']) {
      await seedCall(world.service.deps, user.seed, freshNumber(), { first_name: name })
    }
    const tab = await openTab(world.service, chromium, user)
    let serverState: 'an error' | 'none' | 'a page' = 'a page'
    await tab.route(
      (url) => url.pathname.endsWith('/calls'),
      (route, request) => {
        if (serverState === 'a page' || request.headers()['hx-request'] !== 'true') return route.continue()
        if (serverState === 'none') return route.abort()
        return route.fulfill({ status: 503, body: '<title>Away</title><p>Away for a moment</p>' })
      },
    )
    await tab.goto(user.urlFor('/calls'))
    const title = await tab.title()
    const staleNotice = tab.getByText("Couldn't refresh")
    const isCurrent = () => staleNotice.waitFor({ state: 'detached' })

    // The automatic refresh fails.
    serverState = 'none'
    await staleNotice.waitFor()
    serverState = 'an error'
    await tab.waitForResponse((response) => response.status() === 503)
    serverState = 'a page'
    await isCurrent()
    expect(await tab.title()).toBe(title)
    expect(await tab.getByRole('row').count()).toBe(3)

    // A search fails.
    serverState = 'an error'
    await tab.getByLabel('Search').pressSequentially('may')
    await staleNotice.waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.emulateMedia({ colorScheme })
      await expectAccessible(tab)
    }
    expect(await tab.getByRole('row').count()).toBe(3)
    expect(new URL(tab.url()).search).toBe('')
    serverState = 'a page'
    await isCurrent()
    expect(await tab.getByLabel('Search').inputValue()).toBe('may')
    expect(new URL(tab.url()).searchParams.get('search')).toBe('may')
    expect(await tab.getByRole('row').count()).toBe(2)
    await seedCall(world.service.deps, user.seed, freshNumber(), { first_name: 'Mayumi' })
    await tab.getByRole('link', { name: 'Show 1 newer call' }).waitFor()
    await tab.getByLabel('Search').fill('noor')
    await tab.getByRole('link', { name: 'Noor' }).waitFor()
  },
)
