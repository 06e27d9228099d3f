import { afterAll, beforeAll, expect } from '@jest/globals'
import { itInChromium } from '../support/chromium.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { openTab, seedGuest, type Service, startService } from './support.ts'

let database: TestDatabase
let service: Service
beforeAll(async () => {
  database = await createTestDatabase()
  service = await startService(database.db)
})
afterAll(async () => {
  await service.close()
  await database.close()
})

itInChromium('a form can be sent again some time after its loading was stopped', async (chromium) => {
  const guest = await seedGuest(service)
  const tab = await openTab(service, chromium, guest)
  await tab.clock.install()
  await tab.goto(guest.at('/contacts/new'))
  let sent = 0
  await tab.route(guest.at('/contacts/new'), (route, request) => {
    if (request.method() === 'GET') return route.continue()
    sent += 1
    // As by Esc: the page stays.
    return sent === 1 ? route.abort('aborted') : route.continue()
  })
  await tab.getByLabel('Phone number').fill('+12025550177')
  const add = tab.getByRole('button', { name: 'Add the contact' })
  await add.click()
  await add.click()
  expect(await add.getAttribute('aria-busy')).toBe('true')
  await tab.clock.fastForward(15_000)
  expect(await add.getAttribute('aria-busy')).toBeNull()
  await add.click()
  await tab.waitForURL(/\/contacts\/\d+$/)
  expect(sent).toBe(2)
})
