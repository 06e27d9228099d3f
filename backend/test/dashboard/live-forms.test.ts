import { expect } from '@jest/globals'
import { seedCall } from '../support/calls.ts'
import { itInChromium } from '../support/chromium.ts'
import { openTab, seedSignedInOwner } from '../support/dashboard.ts'
import { freshNumber } from '../support/factories.ts'
import { useServiceWorld } from '../support/service.ts'

const world = useServiceWorld()

itInChromium(
  'if the user stops the page load after submitting a form, the form can be submitted again after 15 seconds',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const tab = await openTab(world.service, chromium, user)
    await tab.clock.install()
    await tab.goto(user.urlFor('/contacts/new'))
    let sent = 0
    await tab.route(user.urlFor('/contacts/new'), (route, request) => {
      if (request.method() === 'GET') return route.continue()
      sent += 1
      // Ends the first request as pressing Esc does. The browser stays on the page.
      return sent === 1 ? route.abort('aborted') : route.continue()
    })
    await tab.getByLabel('Phone number').fill('+12025550177')
    const add = tab.getByRole('button', { name: 'Add contact' })
    await add.click()
    await add.click()
    expect(await add.getAttribute('aria-busy')).toBe('true')
    await tab.clock.fastForward(15_000)
    expect(await add.getAttribute('aria-busy')).toBeNull()
    await add.click()
    await tab.waitForURL(/\/contacts\/\d+$/)
    expect(sent).toBe(2)
  },
)

itInChromium(
  "doesn't refresh the live part of a page while a form in that part is being submitted",
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const call = await seedCall(world.service.deps, user.seed, freshNumber())
    const address = user.urlFor(`/calls/${call.id}`)
    const tab = await openTab(world.service, chromium, user)
    const isPressed = Promise.withResolvers<void>()
    await tab.route(address, async (route, request) => {
      if (request.headers()['hx-request'] === 'true') await isPressed.promise
      await route.continue()
    })
    // Aborts the form's request as pressing Esc does. The page doesn't notice, so it treats the form as still being submitted.
    await tab.route(`${address}/cancel`, (route) => route.abort('aborted'))
    await tab.goto(address)
    const form = tab.locator('#live form[action$="/cancel"]')
    const key = await form.locator('[name=_once]').getAttribute('value')
    const isSwapped = tab.evaluate(
      "new Promise((done) => document.addEventListener('htmx:finally:request', () => done(true), { once: true }))",
    )
    await tab.waitForRequest((request) => request.headers()['hx-request'] === 'true')
    await form.getByRole('button', { name: 'Cancel call', includeHidden: true }).dispatchEvent('click')
    await form.and(tab.locator('[data-sent]')).waitFor({ state: 'attached' })

    // The response to the earlier refresh isn't swapped into the page, and the page doesn't request another refresh.
    isPressed.resolve()
    await isSwapped
    expect(await form.locator('[name=_once]').getAttribute('value')).toBe(key)
    expect(await form.getAttribute('data-sent')).toBe('true')
    const isPrevented = await tab.evaluate(`(() => {
    let isPrevented = false
    document.addEventListener('htmx:before:request', (event) => (isPrevented = event.defaultPrevented))
    document.getElementById('live').dispatchEvent(new Event('every'))
    return isPrevented
  })()`)
    expect(isPrevented).toBe(true)
  },
)
