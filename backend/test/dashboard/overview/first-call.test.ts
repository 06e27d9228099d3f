import { afterAll, beforeAll, expect } from '@jest/globals'
import { type Service, startService } from '../../../start.ts'
import { itInChromium } from '../../support/chromium.ts'
import { useTestDatabase } from '../../support/world.ts'

let service: Service
// This hook must run before useTestDatabase()'s hook. Jest runs these hooks in registration order.
afterAll(async () => {
  await service.stop()
})
const database = useTestDatabase()
beforeAll(async () => {
  service = await startService({
    DATABASE_URL: database.url,
    SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
    RUNTIME_SECRET: 'runtime-secret-of-at-least-thirty-two-characters',
    PORT: '0',
    SIMULATION_SPEED: '50',
    LOG_LEVEL: 'silent',
  })
})

itInChromium(
  'lets a new user set up an empty installation and complete a simulated call in the browser',
  async (chromium) => {
    const tab = await chromium.newPage()
    const press = (name: string) => tab.getByRole('button', { name, exact: true }).click()
    const follow = (name: string) => tab.getByRole('link', { name, exact: true }).first().click()
    const fill = (label: string, text: string) => tab.getByLabel(label).first().fill(text)

    await tab.goto(service.config.publicUrl)
    await follow('Set up Outdial')
    await fill('Your name', 'Robin')
    await fill('Email', 'robin@example.com')
    await fill('Password', 'correct horse battery')
    await tab.getByRole('textbox', { name: 'Workspace' }).fill('Acme Roofs')
    await press('Create account and workspace')
    await tab.getByRole('heading', { name: 'First steps' }).waitFor()

    await follow('Add phone number')
    await fill('Phone number', '+12025550190')
    await fill('Label', 'Sales')
    await press('Add number')

    await follow('Overview')
    await follow('Go to agents')
    await follow('New agent')
    await fill('Name', 'Ava')
    await fill('Greeting', 'Hi {{first_name}}, this is {{agent}}.')
    await press('Create draft')
    await press('Publish')

    await follow('Overview')
    await follow('Create campaign')
    await fill('Name', 'Website leads')
    await tab.getByLabel('Required consent').selectOption('none')
    await press('Create campaign')

    await follow('Overview')
    await follow('Simulate a call')
    await fill('Phone number', '+12025550100')
    await press('Simulate call')
    await tab.getByText('The call is being simulated. No phone rings.').waitFor()
    await tab.getByText('Answered', { exact: true }).first().waitFor()
    await tab.getByRole('heading', { name: 'Result' }).waitFor()
    expect(await database.db.selectFrom('call').select(['outcome', 'test']).execute()).toEqual([
      { outcome: 'answered', test: true },
    ])
    await follow('Overview')
    await tab.getByText('4 of 5 done').waitFor()
  },
  120_000,
)
