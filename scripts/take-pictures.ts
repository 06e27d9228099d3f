import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { createApp } from '../backend/app.ts'
import { parseConfig } from '../backend/config.ts'
import { createLog } from '../backend/log.ts'
import { openDeps } from '../backend/open-deps.ts'
import { type Clock, systemClock } from '../backend/platform/core/clock.ts'
import { createNotifier } from '../backend/platform/core/notify.ts'
import { findFreePort } from '../backend/platform/db/embedded/server-address.ts'
import { prepareDemo } from '../backend/service/demo/prepare-demo.ts'
import { startWorkers } from '../backend/workers.ts'
import { startFakeModel } from '../examples/fake-model/server.ts'
import { findChromium } from '../support/find-chromium.ts'

// Takes the pictures for the README and the guides in a demo workspace. The clock always shows Monday morning, so that the
// pictures' times are within working hours.
const startsAt = Date.parse('2026-05-04T14:00:00Z') // 10:00 AM in New York
const pictures = fileURLToPath(new URL('../docs/pictures/', import.meta.url))
/** The contacts to call. The last four digits of a number decide what happens in the call. */
const contacts = [
  ['Maya', 'Okafor', '+12025550100'],
  ['Liam', 'Chen', '+12025550101'],
  ['Ana', 'Silva', '+12025550103'],
  ['Noah', 'Berg', '+12025550104'],
  ['Zoë', 'Martin', '+12025560100'],
] as const
const file = [
  'First name;Last name;Mobile;State;Consent',
  'Ines;Moreau;(202) 555-0110;DC;yes',
  'Tom;Baker;202.555.0111;DC;yes',
  'Priya;Rao;call after 5: 202 555 0112;DC;yes',
  'Sam;Lee;12;DC;no',
].join('\n')

const executablePath = findChromium()
if (executablePath === undefined) throw new Error('Install Chromium, and run this again.')
const openedAt = Date.now()
const clock: Clock = { ...systemClock, now: () => new Date(startsAt + Date.now() - openedAt) }
const dataDir = await mkdtemp(path.join(tmpdir(), 'outdial-pictures-'))
const port = await findFreePort('127.0.0.1')
const model = await startFakeModel()
const config = parseConfig({
  LLM_URL: model.url,
  LLM_MODELS: 'outdial-fake',
  DATA_DIR: dataDir,
  PORT: String(port),
  SECRET_KEY: randomBytes(32).toString('base64'),
  RUNTIME_SECRET: randomBytes(32).toString('base64'),
})
const notifier = createNotifier()
const log = await createLog('silent')
const opened = await openDeps({ config, log, purpose: 'service', notify: notifier.notify })
const deps = { ...opened.deps, clock }
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const app = await createApp(deps)
try {
  const demo = await prepareDemo(deps, dataDir)
  if (demo === undefined) throw new Error('no demo workspace')
  await app.listen({ host: '127.0.0.1', port })
  const workers = startWorkers(deps, notifier, () => 0)
  const page = await browser.newPage({ viewport: { width: 1100, height: 860 }, deviceScaleFactor: 2 })
  await signIn(page, demo)
  const calls = []
  for (const contact of contacts) calls.push(await queueCall(demo.api_key, demo.campaign_id, contact))
  const home = `${config.publicUrl}/w/${demo.workspace_id}`
  await waitForAttempts(demo.api_key, calls)
  await takePicture(page, `${home}/calls/${calls[0] ?? 0}`, 'call')
  await takePicture(page, `${home}/overview`, 'overview')
  await uploadFile(page, home)
  await takePicture(page, page.url(), 'import')
  await takePicture(page, `${home}/settings/rules`, 'rules')
  await chat(page, home, demo.agents[0]?.id ?? 0)
  await takePicture(page, page.url(), 'chat')
  await Promise.all(workers.map((worker) => worker.stop(0)))
} finally {
  await browser.close()
  await app.close()
  await opened.close()
  await model.close()
  await rm(dataDir, { recursive: true, force: true })
}

async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.goto(`${config.publicUrl}/sign-in`)
  await page.fill('[name="email"]', email)
  await page.fill('[name="password"]', password)
  await page.click('button.primary')
  await page.waitForURL(/\/w\/\d+\//)
}

/** Queues a call as a Zap does. Returns the call's ID. */
async function queueCall(
  key: string,
  campaign_id: number,
  [first_name, last_name, phone_number]: (typeof contacts)[number],
): Promise<number> {
  const variables = { product: 'a roof inspection' }
  const response = await fetch(`${config.publicUrl}/api/public/v1/contacts/`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ first_name, last_name, phone_number, campaign_id, variables }),
  })
  if (!response.ok) throw new Error(await response.text())
  const { call } = (await response.json()) as { call: { id: number } }
  return call.id
}

/** Waits until the first attempt of each call has ended. Some of the calls then wait for another attempt. */
async function waitForAttempts(key: string, calls: readonly number[]): Promise<void> {
  for (const id of calls) {
    const hasEnded = async () => {
      const headers = { Authorization: `Bearer ${key}` }
      const response = await fetch(`${config.publicUrl}/api/public/v1/calls/${id}/`, { headers })
      const { attempts, status } = (await response.json()) as { attempts: number; status: string }
      return attempts > 0 && ['queued', 'completed'].includes(status)
    }
    while (!(await hasEnded())) await systemClock.wait(200)
  }
}

async function uploadFile(page: Page, home: string): Promise<void> {
  await page.goto(`${home}/contacts/import`)
  await page.setInputFiles('input[type="file"]', {
    name: 'spring-fair.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(file),
  })
  await page.click('main button.primary')
  await page.waitForURL(/\/contacts\/import\/\d+/)
  await page.waitForSelector('table')
}

/** Has a chat with the demo's first agent, in which the agent uses a tool. */
async function chat(page: Page, home: string, agentId: number): Promise<void> {
  await page.goto(`${home}/agents/${agentId}`)
  await page.getByRole('button', { name: 'Start chat' }).click()
  const field = page.getByLabel('What the contact says')
  for (const [index, text] of [
    'Hello, what does it cost?',
    'Please write that down: Thursday suits me.',
  ].entries()) {
    await field.fill(text)
    await field.press('Enter')
    await page.getByRole('log').getByText("Thank you, that's done.").nth(index).waitFor()
  }
  await page.locator('#chat-side').getByText('Preferred day').waitFor()
  await page.setViewportSize({ width: 1280, height: 1000 })
}

async function takePicture(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address)
  await page.screenshot({ path: path.join(pictures, `${name}.png`) })
}
