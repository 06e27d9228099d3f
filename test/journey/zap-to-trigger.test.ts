import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { CallCompletedEvent } from '@outdial/contract'
import { Webhook } from 'standardwebhooks'
import { chromiumUrl, itInChromium } from '../../backend/test/support/chromium.ts'
import type { BuiltConnector } from '../../support/built-connector.ts'
import { readSigningSecret } from '../../support/signing-secret.ts'
import { openWebhookListener, type WebhookListener } from '../../support/webhook-listener.ts'
import { commandRunBy, commandsRunBy } from '../support/documented-commands.ts'
import { connectByCli } from './connect-by-cli.ts'
import { consentByFetch, consentInChromium } from './give-consent.ts'
import { runDemo } from './run-demo.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

// The service runs in its own process. The connector is the output of `npm run build`, and uses the service only over HTTP. The
// Zapier CLI or core's handler runs each step, as Zapier does for a Zap.
const thisTest = 'test/journey/zap-to-trigger.test.ts'
const timeoutMs = 300_000
/** A day about a month from now. It depends on the real date, because the service uses the real clock. */
const nextMonth = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const root = path.resolve(import.meta.dirname, '../..')
let service: ServiceProcess
let connector: BuiltConnector
let hook: WebhookListener
const cleanups: (() => Promise<void>)[] = []
/** The headings of the pages that the user saw while connecting. */
const seen: string[] = []

beforeAll(async () => {
  const command = commandRunBy(thisTest, 'docs/guides/connect-zapier.md', /^npm run build$/)
  const build = spawnSync('sh', ['-c', command], { cwd: root, encoding: 'utf8' })
  if (build.status !== 0) throw new Error(`the connector doesn't build:\n${build.stdout}${build.stderr}`)
  service = await startServiceProcess()
  cleanups.push(() => service.stop())
  connector = await connectByCli(
    service,
    chromiumUrl === undefined ? consentByFetch : consentInChromium(seen),
  )
  cleanups.push(() => connector.remove())
  hook = await openWebhookListener()
  cleanups.push(() => hook.close())
}, timeoutMs)

afterAll(async () => {
  for (const close of cleanups.toReversed()) await close()
}, timeoutMs)

interface Choice {
  id: string
  label: string
}

interface Queued {
  id: number
  outcome: string | null
  call_queued: boolean
  contact_created: boolean
  contact: Record<string, unknown>
}

/** Sends a request to the API with the demo workspace's key, without the connector. */
const api = (method: string, apiPath: string, body?: object) =>
  fetch(`${service.demo.base_url}/api/public/v1${apiPath}`, {
    method,
    headers: { authorization: `Bearer ${service.demo.api_key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

it(
  "the connector passes Zapier's `validate` command without errors",
  async () => {
    const result = JSON.parse(await connector.cli(['validate', '--without-style', '--format', 'json'])) as {
      errors?: unknown[]
    }

    expect(result.errors ?? []).toEqual([])
  },
  timeoutMs,
)

itInChromium(
  'connects with `invoke auth start` through the real pages in Chromium, with keyboard and mouse',
  async () => {
    expect(seen).toEqual(['Sign in', 'Connect Zapier'])
    expect(await connector.authData()).toMatchObject({ workspace_name: 'Demo' })
  },
)

it(
  "connects one workspace, shows its name in the connection's label, and refreshes the token",
  async () => {
    const before = await connector.authData()

    expect(await connector.invoke('auth', 'test')).toEqual({
      workspace_id: String(service.demo.workspace_id),
      workspace_name: 'Demo',
      user_email: service.demo.email,
      account: `Demo (${service.demo.email})`,
    })
    const label = await connector.cli(['invoke', 'auth', 'label', '--non-interactive'])
    expect(label.trim()).toBe(`Demo (${service.demo.email})`)

    await connector.cli(['invoke', 'auth', 'refresh', '--non-interactive'])
    const after = await connector.authData()
    expect(after.access_token).not.toBe(before.access_token)
    expect(after).toMatchObject({ refresh_token: before.refresh_token, workspace_name: 'Demo' })
  },
  timeoutMs,
)

it(
  'fills the dropdowns page by page, with the newest campaigns first',
  async () => {
    const { agents, phone_number_id } = service.demo
    const [ava] = agents
    for (let number = 1; number <= 101; number += 1) {
      await api('POST', '/campaigns/', { name: `Paged ${number}`, agent_id: ava?.id, phone_number_id })
    }
    const page = (key: string, number: number) =>
      connector.invoke<Choice[]>('trigger', key, '--isFillingDynamicDropdown', '-p', String(number))

    const first = await page('campaigns', 0)
    const second = await page('campaigns', 1)

    expect(first).toHaveLength(100)
    expect(first[0]?.label).toBe('Paged 101')
    expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(100 + second.length)
    expect(second.map(({ label }) => label)).toContain('Demo: new leads')
    const live = await page('agents', 0)
    const numbers = await page('phone_numbers', 0)
    expect(live.map(({ label }) => label)).toEqual(['Ava · en-US', 'Ben · en-US'])
    expect(numbers.map(({ label }) => label)).toContain('Sales (+12025550190)')
  },
  timeoutMs,
)

it(
  'creates a campaign, and queues a call to a new contact in that campaign',
  async () => {
    const campaign = await connector.invoke<{ id: number; calling_hours: unknown }>(
      'create',
      'create_campaign',
      '-i',
      JSON.stringify({
        name: 'Spring {{sale}} — ✓',
        agent_id: '1',
        phone_number_id: '1',
        calling_hours_days: ['sat', 'sun'],
        calling_hours_start: '22:00',
        calling_hours_end: '02:00',
      }),
    )
    expect(campaign).toMatchObject({
      name: 'Spring {{sale}} — ✓',
      calling_hours: { days: ['sat', 'sun'], start: '22:00', end: '02:00' },
    })

    const input = {
      campaign_id: String(campaign.id),
      phone_number: '(202) 555-0143',
      first_name: '{{bundle.authData.access_token}} 😀',
      last_name: '',
      // In the form, this field is for the variable in Ava's script. It replaces the same key of `variables`.
      variables__product: 'Roof inspection',
      variables: { product: 'Replaced', blank: '' },
      scheduled_at: `${nextMonth}T09:00:00-05:00`,
      deduplication_key: 'form entry — 1',
    }
    const queue = () => connector.invoke<Queued>('create', 'queue_call', '-i', JSON.stringify(input))
    const first = await queue()
    expect(first).toMatchObject({
      call_queued: true,
      contact_created: true,
      contact: {
        phone_number: '+12025550143',
        first_name: '{{bundle.authData.access_token}} 😀',
        last_name: null,
        variables: { product: 'Roof inspection' },
      },
      status: 'queued',
      waiting_for: 'schedule',
      scheduled_at: `${nextMonth}T14:00:00.000Z`,
    })

    expect(await queue()).toEqual(first)
  },
  timeoutMs,
)

it(
  'explains what is wrong with a phone number, and shows the request ID for support',
  async () => {
    const input = JSON.stringify({ campaign_id: '1', phone_number: '12' })

    const failed = await connector
      .cli(['invoke', 'create', 'queue_call', '-i', input, '--non-interactive'])
      .then(
        () => undefined,
        (error: unknown) => error as { stderr: string },
      )

    // The CLI wraps an error's text, and starts each line with ›.
    const stdout = failed?.stderr.replace(/[\s›]+/g, ' ')
    expect(stdout).toMatch(/Phone Number: .+ \(Request ID: [\w-]+\)/)
  },
  timeoutMs,
)

it(
  'runs the steps of docs/guides/connect-zapier.md from the command line',
  async () => {
    const steps = commandsRunBy(thisTest, 'docs/guides/connect-zapier.md')
      // Leaves out `invoke auth start`, which connect-by-cli.ts runs.
      .filter((command) => command.startsWith('npx zapier-platform') && !command.includes(' auth start'))
      .map((command) =>
        [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
      )
      .map((words) => words.slice(2).filter((word) => word !== '--non-interactive'))
    expect(steps).toHaveLength(3)

    const outputs: unknown[] = []
    for (const [, ...args] of steps) outputs.push(await connector.invoke(...args))

    expect(outputs[1]).toMatchObject({ call_queued: true, test: true })
  },
  timeoutMs,
)

it(
  'subscribes, receives a completed call in a signed delivery, and unsubscribes',
  async () => {
    const trigger = 'triggers.call_completed.operation'
    const inputData = { campaign_id: String(service.demo.campaign_id), outcome: ['answered'] }
    const subscription = await connector.run<{ id: number }>(`${trigger}.performSubscribe`, {
      targetUrl: hook.url,
      inputData,
    })
    const again = await connector.run<{ id: number }>(`${trigger}.performSubscribe`, {
      targetUrl: hook.url,
      inputData,
    })
    expect(again).toEqual(subscription)
    const { access_token = '' } = await connector.authData()
    const secret = await readSigningSecret(service.demo.base_url, access_token, {
      target_url: hook.url,
      filter: { campaign_id: service.demo.campaign_id, outcome: ['answered'], test: 'exclude' },
    })

    const queue = (phone_number: string) =>
      connector.run<Queued>('creates.queue_call.operation.perform', {
        inputData: {
          campaign_id: service.demo.campaign_id,
          phone_number,
          first_name: 'Maya',
          metadata: { lead: '7' },
        },
      })
    await queue('+12025550104') // the contact declines this call, so the filter leaves it out
    const queued = await queue('+12025550100')
    const delivery = await hook.next()

    const headers = {
      'webhook-id': String(delivery.headers['webhook-id']),
      'webhook-timestamp': String(delivery.headers['webhook-timestamp']),
      'webhook-signature': String(delivery.headers['webhook-signature']),
    }
    const event = CallCompletedEvent.parse(new Webhook(secret).verify(delivery.text, headers))
    expect(() => new Webhook(secret).verify(`${delivery.text} `, headers)).toThrow()
    expect(event).toMatchObject({
      id: headers['webhook-id'],
      workspace_id: service.demo.workspace_id,
      data: { id: queued.id, outcome: 'answered', metadata: { lead: '7' }, contact: { first_name: 'Maya' } },
    })

    const fromHook = await connector.run<object[]>(`${trigger}.perform`, { cleanedRequest: event, inputData })
    const contact = { ...event.data.contact, consent: { source: null, at: null, kind: null } }
    const file = { type: 'file', method: 'hydrators.saveTranscript', bundle: { call_id: queued.id } }
    const transcript_file = `hydrate|||${JSON.stringify(file)}|||hydrate`
    const { waiting_for, next_attempt_at, ...completed } = event.data
    expect({ waiting_for, next_attempt_at }).toEqual({ waiting_for: null, next_attempt_at: null })
    expect(fromHook).toEqual([
      { ...completed, contact, outcome_label: 'Answered', reached: true, recording: null, transcript_file },
    ])
    const { transcript } = event.data
    const used = transcript.filter(({ role }) => role === 'tool').map(({ text }) => text)
    expect(used).toEqual([
      'Looked up the contact',
      expect.stringMatching(/^Searched the knowledge base: appointment /),
      'Saved a note',
      'Added a row to the spreadsheet',
    ])
    for (const text of used) expect(event.data.transcript_text).toContain(text)
    const fromList = await connector.run<{ id: number }[]>(`${trigger}.performList`, { inputData })
    expect(fromList.find(({ id }) => id === queued.id)).toEqual(fromHook[0])
    const inCli = await connector.invoke<{ id: number }[]>('trigger', 'call_completed')
    expect(inCli.map(({ id }) => id)).toContain(queued.id)

    const unsubscribe = () => connector.run(`${trigger}.performUnsubscribe`, { subscribeData: subscription })
    await unsubscribe()
    await expect(unsubscribe()).resolves.toEqual({ id: subscription.id })
  },
  timeoutMs,
)

it(
  'waits for the result of a call, finds the call, and stops calling a person',
  async () => {
    const { campaign_id } = service.demo
    const queue = (step: string, inputData: object, callbackUrl?: string) =>
      connector.run<Queued>(`creates.${step}.operation.perform`, {
        inputData: { campaign_id, ...inputData },
        callbackUrl,
      })

    const waiting = await queue(
      'queue_call_and_wait',
      { phone_number: '+12025550110', test: 'yes' },
      hook.url,
    )
    const delivery = await hook.next()
    const result = await connector.run<Queued>('creates.queue_call_and_wait.operation.performResume', {
      outputData: waiting,
      cleanedRequest: JSON.parse(delivery.text) as unknown,
    })
    expect(result).toMatchObject({ id: waiting.id, status: 'completed', call_queued: true })
    expect(Object.keys(result).toSorted()).toEqual(Object.keys(waiting).toSorted())
    const found = await connector.invoke<Queued[]>(
      'search',
      'find_call',
      '-i',
      '{"phone_number": "+12025550110", "include_test_calls": "yes"}',
    )
    expect(found[0]).toMatchObject({ id: waiting.id, outcome: result.outcome })

    const later = { phone_number: '+12025550111', scheduled_at: `${nextMonth}T09:00:00-05:00` }
    const canceled = await queue('queue_call', later)
    const person = JSON.stringify({ phone_number: later.phone_number })
    const workspaceUrl = `${service.demo.base_url}/w/${service.demo.workspace_id}`
    expect(await connector.invoke('create', 'cancel_waiting_calls', '-i', person)).toEqual({
      canceled: [canceled.id],
      phone_numbers: [later.phone_number],
      url: `${workspaceUrl}/calls?search=%2B12025550111`,
      canceled_count: 1,
    })
    const check = () => connector.invoke('search', 'find_do_not_call_number', '-i', person)
    expect(await check()).toEqual([])
    expect(await connector.invoke('create', 'add_to_do_not_call_list', '-i', person)).toEqual({
      phone_number: later.phone_number,
      phone_numbers: [later.phone_number],
      do_not_call: true,
      url: `${workspaceUrl}/contacts/do-not-call?number=%2B12025550111`,
    })
    expect(await check()).toMatchObject([{ phone_number: later.phone_number, reason: null, source: 'api' }])
    expect(await queue('queue_call', later)).toMatchObject({ outcome: 'suppressed' })
  },
  timeoutMs,
)

it(
  'runs the demo, which ends with the output of the trigger and shows no secrets',
  async () => {
    const { status, stdout, stderr } = await runDemo(service.dataDir)

    expect({ status, complained: stderr }).toEqual({ status: 0, complained: '' })
    expect(stdout).toMatch(/POST +\/api\/public\/v1\/contacts\/ +201/)
    expect(stdout).toMatch(/Trigger output[^]+Outcome +answered[^]+Agent: Hi Maya[^]+$/)
    expect(stdout).toMatch(/The agent used 4 tools[^]+Tool: Searched\s+the\s+knowledge\s+base:/)
    const { password, api_key, client_secret, runtime_secret } = service.demo
    for (const secret of [password, api_key, client_secret, runtime_secret])
      expect(stdout).not.toContain(secret)
    expect(stdout).not.toMatch(/whsec_|v1,[\w+/]{20}/)
  },
  timeoutMs,
)

it("the demo says what to do if it doesn't find a backend", async () => {
  const dataDir = path.join(service.dataDir, 'nothing-here')
  const { status, stderr } = await runDemo(dataDir)

  expect(status).toBe(1)
  expect(stderr).toContain(`There's no file ${path.join(dataDir, 'demo.json')}.`)
  expect(stderr).toMatch(/hasn't been started yet: Start it in another terminal with `npm start`/)
})
