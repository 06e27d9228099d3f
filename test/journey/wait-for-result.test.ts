import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type CallOutcome, exampleCall } from '@outdial/contract'
import nock from 'nock'
import pino from 'pino'
import { parseConfig } from '../../backend/config.ts'
import { openDeps } from '../../backend/open-deps.ts'
import { samplePaths } from '../../scripts/connector-keys.ts'
import type { FlatQueuedCall } from '../../src/flat-call.ts'
import { callCompleted } from '../../src/triggers/call-completed.ts'
import { openWebhookListener, type WebhookListener } from '../../support/webhook-listener.ts'
import { baseUrl, run, runExpectingError } from '../support/connector.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

// The service runs in its own process, and posts the callback to this process over loopback. Then core's handler continues the
// step, as Zapier does.
const timeoutMs = 60_000
const operation = 'creates.queue_call_and_wait.operation'
const trigger = 'triggers.call_completed.operation'
const tomorrow = { scheduled_at: new Date(Date.now() + 86_400_000).toISOString() }
let service: ServiceProcess
let authData: Record<string, string>
let campaign_id: string
const listeners: WebhookListener[] = []

beforeAll(async () => {
  // Stops nock, with which the connector's other tests simulate the API.
  nock.restore()
  service = await startServiceProcess()
  process.env.BASE_URL = service.demo.base_url
  authData = { access_token: service.demo.api_key }
  const { id } = await act<{ id: number }>('creates.create_campaign.operation.perform', {
    name: 'Waiting',
    agent_id: String(service.demo.agents[0]?.id),
    phone_number_id: String(service.demo.phone_number_id),
    calling_hours_days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
    calling_hours_start: '00:00',
    calling_hours_end: '24:00',
    retry_max_attempts: '1',
  })
  campaign_id = String(id)
}, timeoutMs)

afterAll(async () => {
  process.env.BASE_URL = baseUrl
  await Promise.all(listeners.map((listener) => listener.close()))
  await service.stop()
}, timeoutMs)

const act = <Result>(method: string, inputData: Record<string, unknown>) =>
  run<Result>(method, { inputData, authData })

async function openListener(): Promise<WebhookListener> {
  const listener = await openWebhookListener()
  listeners.push(listener)
  return listener
}

/** A run of the step in a Zap, which waits until its call is completed. */
interface WaitingStep {
  output: FlatQueuedCall
  /** Waits for the callback, and then continues the run. */
  resume(): Promise<FlatQueuedCall>
}

async function startStep(inputData: Record<string, unknown>): Promise<WaitingStep> {
  const listener = await openListener()
  const output = await run<FlatQueuedCall>(`${operation}.perform`, {
    inputData: { campaign_id, ...inputData },
    authData,
    callbackUrl: listener.url,
  })
  const resume = async () => {
    const cleanedRequest: unknown = JSON.parse((await listener.next()).text)
    return run<FlatQueuedCall>(`${operation}.performResume`, { outputData: output, cleanedRequest, authData })
  }
  return { output, resume }
}

/** Changes a queued call as if it had waited for more than seven days. */
async function makeOverdue(callId: number): Promise<void> {
  const config = parseConfig(service.environment)
  const { deps, close } = await openDeps({ config, log: pino({ level: 'silent' }), purpose: 'command' })
  try {
    await deps.db
      .updateTable('call')
      .set({ due_at: new Date(Date.now() - 8 * 24 * 60 * 60_000) })
      .where('id', '=', callId)
      .execute()
  } finally {
    await close()
  }
}

/** Queues a call for each outcome. The number's last digits decide what the simulated contact does. */
async function startAll(): Promise<Record<CallOutcome, WaitingStep>> {
  const suppressed = { phone_number: '+12125550108' }
  const canceled = { phone_number: '+12125550109' }
  await act('creates.add_to_do_not_call_list.operation.perform', suppressed)
  const steps = {
    answered: await startStep({ phone_number: '+12125550100', metadata: { lead: '7' } }),
    no_answer: await startStep({ phone_number: '+12125550101' }),
    busy: await startStep({ phone_number: '+12125550102' }),
    voicemail: await startStep({ phone_number: '+12125550103' }),
    declined: await startStep({ phone_number: '+12125550104' }),
    failed: await startStep({ phone_number: '+12125550105' }),
    suppressed: await startStep(suppressed),
    canceled: await startStep({ ...canceled, ...tomorrow }),
    expired: await startStep({ phone_number: '+12125550107', ...tomorrow }),
  }
  await act('creates.cancel_waiting_calls.operation.perform', canceled)
  await makeOverdue(steps.expired.output.id)
  return steps
}

const hasPath = (value: unknown, path: string): boolean => {
  let found = value
  for (const key of path.split('__')) {
    if (typeof found !== 'object' || found === null || !(key in found)) return false
    found = (found as Record<string, unknown>)[key]
  }
  return true
}

it(
  'continues the Zap for each of the nine outcomes, and delivers calls that have every key of the sample',
  async () => {
    const hook = await openListener()
    const filter = { campaign_id }
    await run(`${trigger}.performSubscribe`, { inputData: filter, targetUrl: hook.url, authData })

    const steps = await startAll()
    const outcomes = Object.keys(steps)
    const resumed = await Promise.all(Object.values(steps).map((step) => step.resume()))

    expect(resumed.map(({ outcome }) => outcome)).toEqual(outcomes)
    expect(resumed.map(({ id }) => id)).toEqual(Object.values(steps).map(({ output }) => output.id))
    expect(steps.suppressed.output).toMatchObject({ status: 'completed', outcome: 'suppressed' })

    const delivered: unknown[] = []
    for (let count = 0; count < outcomes.length; count += 1) {
      const { text } = await hook.next()
      const cleanedRequest: unknown = JSON.parse(text)
      const parts = { inputData: filter, cleanedRequest, rawRequest: { content: text }, authData }
      delivered.push(...(await run<unknown[]>(`${trigger}.perform`, parts)))
    }
    const listed = await act<unknown[]>(`${trigger}.performList`, filter)
    const byId = (calls: unknown[]) =>
      (calls as { id: number; outcome: string }[]).toSorted((one, other) => one.id - other.id)
    // Zapier's check T004: every output has all fields of the sample.
    for (const call of [...delivered, ...listed])
      expect(samplePaths(callCompleted.operation.sample).filter((path) => !hasPath(call, path))).toEqual([])
    // Zapier's check T006: events and the list give the same output.
    expect(byId(delivered)).toEqual(byId(listed))
    expect(
      byId(delivered)
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(outcomes.toSorted())
  },
  timeoutMs,
)

it(
  'continues two Zaps that wait for the same call, and a step that Zapier runs again',
  async () => {
    const person = { phone_number: '+13125550100', ...tomorrow, deduplication_key: 'form entry — 1' }
    const first = await startStep(person)
    const again = await startStep(person)
    const second = await startStep({ phone_number: person.phone_number })
    expect(first.output).toMatchObject({ call_queued: true, status: 'queued' })
    expect(again.output).toEqual(first.output)
    expect(second.output).toMatchObject({ id: first.output.id, call_queued: false })

    await act('creates.cancel_waiting_calls.operation.perform', { phone_number: person.phone_number })

    const resumed = await Promise.all([first, again, second].map((step) => step.resume()))
    expect(resumed.map(({ id, outcome, call_queued }) => ({ id, outcome, call_queued }))).toEqual([
      { id: first.output.id, outcome: 'canceled', call_queued: true },
      { id: first.output.id, outcome: 'canceled', call_queued: true },
      { id: first.output.id, outcome: 'canceled', call_queued: false },
    ])
  },
  timeoutMs,
)

it(
  "doesn't continue a Zap because of a forged callback",
  async () => {
    const waiting = await startStep({ phone_number: '+13125550102', ...tomorrow })
    const forge = (data: object) =>
      runExpectingError(`${operation}.performResume`, {
        outputData: waiting.output,
        cleanedRequest: { type: 'call.completed', data: { ...exampleCall, ...data } },
        authData,
      })

    expect(await forge({ id: waiting.output.id + 1000 })).toMatchObject({
      name: 'HaltedError',
      message: expect.stringContaining('the result of another call'),
    })
    expect(await forge({ id: waiting.output.id, outcome: 'answered' })).toMatchObject({
      name: 'HaltedError',
      message: expect.stringContaining("isn't completed yet"),
    })
  },
  timeoutMs,
)

it(
  'rejects a sixth Zap that waits for a call, and recommends the Call Completed trigger',
  async () => {
    const person = { phone_number: '+13125550103', campaign_id, ...tomorrow }
    for (let zap = 1; zap <= 5; zap += 1) await startStep(person)

    const error = await runExpectingError(`${operation}.perform`, {
      inputData: person,
      authData,
      callbackUrl: (await openListener()).url,
    })

    expect(error.message).toMatch(
      /^Five Zaps already wait for this call\. Use the Call Completed trigger instead\. \(Request ID: [^)]+\)$/,
    )
  },
  timeoutMs,
)
