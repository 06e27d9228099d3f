// cspell:ignore Pago
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Call } from '@outdial/contract'
import { startDialer } from '../../../calling/dialer/dialer.ts'
import { createSimulatedAgent } from '../../../calling/telephony/simulated/simulated-agent.ts'
import { createSimulatedProvider } from '../../../calling/telephony/simulated/simulated-provider.ts'
import {
  advanceUntil,
  advanceUntilCompleted,
  listAttempts,
  listEvents,
  seedCall,
} from '../../support/calls.ts'
import { getWidgetId } from '../../support/factories.ts'
import { startToolServer, type TestToolServer } from '../../support/test-tool-server.ts'
import { waitFor } from '../../support/wait.ts'
import { useCallsWorld } from '../../support/world.ts'

const secret = 'runtime-secret-of-at-least-thirty-two-characters'
const yes = (text: string) => () => ({ text })
const neverSettle = () => new Promise<never>(() => {})

const world = useCallsWorld()
let servers: TestToolServer[]
let errors: string[]
beforeEach(() => {
  servers = []
  errors = []
})
afterEach(() => Promise.all(servers.map((server) => server.close())))

const serve = async (...args: Parameters<typeof startToolServer>) => {
  const server = await startToolServer(...args)
  servers.push(server)
  return server
}
/** Starts a dialer with an agent whose tools are at `url`. */
const dial = (url: string, times: { stepTimeoutMs?: number; totalTimeoutMs?: number } = {}) => {
  const onToolError = ({ reason }: { reason: string }) => void errors.push(reason)
  const agent = createSimulatedAgent({
    url,
    secret: () => secret,
    onError: onToolError,
    stepTimeoutMs: 10_000,
    totalTimeoutMs: 30_000,
    ...times,
  })
  const provider = createSimulatedProvider(world.deps.clock, 10, agent)
  world.workers.push(startDialer(world.deps, { providers: { real: provider, test: provider } }))
}
/** Makes a call. During a tool call, the clock doesn't advance, because then nothing waits for it. */
const call = async (phoneNumber: string, input: Parameters<typeof seedCall>[3] = {}): Promise<Call> => {
  const { id } = await seedCall(world.deps, world.seed, phoneNumber, {
    variables: { product: 'a roof check' },
    ...input,
  })
  if (input.scheduled_at)
    world.deps.clock.advance(Date.parse(input.scheduled_at) - world.deps.clock.now().getTime())
  return advanceUntilCompleted(world.deps, world.seed, id, 100)
}
const toolTurns = ({ transcript }: Call) =>
  transcript.filter(({ role }) => role === 'tool').map(({ text }) => text)

describe('tools in a call', () => {
  it('adds one turn for each tool call to the transcript and the event', async () => {
    const server = await serve({
      contact_lookup: yes('Maya, +1 202 555 0100, no notes yet.'),
      knowledge_search: yes('Appointments (page 2):\n  Thursdays from 9 to 12.'),
      contact_note: yes('Note saved.'),
    })
    dial(server.url)
    const completedCall = await call('+12025550100')
    const widgetId = await getWidgetId(world.deps, world.seed.agentId)
    const [attempt] = await listAttempts(world.deps, completedCall.id)
    expect(server.openedSessions).toEqual([
      { widgetId, callId: attempt?.id, secret, query: expect.not.stringContaining(secret) },
    ])
    expect(toolTurns(completedCall)).toEqual([
      'Looked up the contact',
      'Searched the knowledge base: appointment times, a roof check',
      'Saved a note',
    ])
    expect(server.calls.map(({ name }) => name)).toEqual([
      'contact_lookup',
      'knowledge_search',
      'contact_note',
    ])
    expect(completedCall.transcript_text).toContain('\nTool: Searched the knowledge base:')
    expect(completedCall).toMatchObject({
      outcome: 'answered',
      ended_reason: 'agent_hung_up',
      goal_met: true,
    })
    const times = [
      completedCall.answered_at,
      ...completedCall.transcript.map((turn) => turn.at),
      completedCall.ended_at,
    ]
    expect(times).toEqual([...times].sort())
    expect((await listEvents(world.deps, completedCall.id)).map((event) => event.data)).toEqual([
      completedCall,
    ])
    await waitFor(async () => server.openSessionCount() === 0)
    expect(errors).toEqual([])
  })

  it('skips tools that the server does not list', async () => {
    const server = await serve({ unheard_of: yes('no') })
    dial(server.url)
    const completedCall = await call('+12025550100')
    expect(toolTurns(completedCall)).toEqual([])
    expect(server.calls).toEqual([])
    expect(completedCall).toMatchObject({ outcome: 'answered', goal_met: true })
  })

  it("passes only arguments in the tool's schema, and skips a tool if it has no value for a required argument", async () => {
    const schemas = {
      contact_note: {
        properties: { text: { type: 'string' }, color: { type: 'string' } },
        required: ['text'],
      },
      knowledge_search: { properties: { topic: { type: 'string' } }, required: ['topic'] },
      spreadsheet_append: { properties: { sheet: { type: 'string' } } },
    }
    const ok = yes('ok')
    const tools = { contact_note: ok, knowledge_search: ok, spreadsheet_append: ok }
    const server = await serve(tools, { schemas })
    dial(server.url)
    const completedCall = await call('+12025550100')
    expect(server.calls).toEqual([
      { name: 'contact_note', args: { text: expect.stringContaining('Interested in a roof check') } },
      { name: 'spreadsheet_append', args: {} },
    ])
    expect(completedCall.transcript_text).not.toContain('my notes are slow')
  })

  it('does not open a tool session if the number is busy or voicemail answers', async () => {
    const server = await serve({ contact_note: yes('kept') })
    dial(server.url)
    expect((await call('+12025550102')).outcome).toBe('busy')
    expect((await call('+12025550103')).outcome).toBe('voicemail')
    expect(server.openedSessions).toEqual([])
  })

  it('uses tools on test calls, and the transcript says that nothing changed', async () => {
    const server = await serve({ contact_note: yes('Test call: nothing was changed.') })
    dial(server.url)
    const completedCall = await call('+12025550100', { test: true })
    expect(toolTurns(completedCall)).toEqual(['Saved a note (test call, nothing changed)'])
  })

  it('closes its tool session if the dialer stops during a tool call', async () => {
    const server = await serve({ contact_lookup: neverSettle })
    dial(server.url)
    const { id } = await seedCall(world.deps, world.seed, '+12025550100')
    await advanceUntil(
      world.deps,
      world.seed,
      id,
      (completedCall) => completedCall.status === 'in_progress',
      50,
    )
    await waitFor(async () => server.calls.length === 1)
    await world.workers.pop()?.stop()
    await waitFor(async () => server.openSessionCount() === 0)
  })
})

describe('tools that fail or return long texts', () => {
  it('shows failed tools in the transcript, apologizes once, and continues', async () => {
    const failing = () => ({
      text: 'The sheet is gone. Tell the contact that someone will call.',
      isError: true,
    })
    const server = await serve({ contact_note: failing, spreadsheet_append: failing })
    dial(server.url)
    const completedCall = await call('+12025550100')
    expect(toolTurns(completedCall)).toEqual([
      "Couldn't save a note",
      "Couldn't add a row to the spreadsheet",
    ])
    expect(completedCall.transcript_text?.match(/my notes are slow/g)).toHaveLength(1)
    expect(completedCall).toMatchObject({ outcome: 'answered', goal_met: true, sentiment: 'positive' })
  })

  it("shortens a long transcript turn about a tool call, and leaves the tool's result out of it", async () => {
    const server = await serve({
      knowledge_search: yes('😀'.repeat(400)),
      contact_note: yes('\u0000 kept \ud83d\u0000'),
    })
    dial(server.url)
    const variables = { product: '😀'.repeat(400) }
    const [search, note] = toolTurns(await call('+12025550100', { variables }))
    expect(search).toMatch(/^Searched the knowledge base: appointment times, 😀+\S?…$/u)
    expect(note).toBe('Saved a note')
  })

  it('stops waiting for a slow tool, and still uses the others', async () => {
    const server = await serve({ contact_lookup: neverSettle, contact_note: yes('Note saved.') })
    dial(server.url, { stepTimeoutMs: 1_000 })
    const completedCall = await call('+12025550100')
    expect(toolTurns(completedCall)).toEqual(["Couldn't look up the contact", 'Saved a note'])
    expect(completedCall).toMatchObject({
      outcome: 'answered',
      ended_reason: 'agent_hung_up',
      goal_met: true,
    })
    expect(errors).toHaveLength(1)
  })

  it('stops using tools when a slow tool has used up the time limit for all tools', async () => {
    const server = await serve({
      contact_lookup: neverSettle,
      knowledge_search: neverSettle,
      contact_note: neverSettle,
    })
    dial(server.url, { totalTimeoutMs: 500 })
    const completedCall = await call('+12025550100')
    expect(toolTurns(completedCall)).toEqual(["Couldn't look up the contact"])
    expect(completedCall).toMatchObject({
      outcome: 'answered',
      ended_reason: 'agent_hung_up',
      goal_met: true,
    })
  })

  it.each([
    ['is unreachable', async () => 'http://127.0.0.1:9'],
    [
      'expects another secret',
      async () => (await serve({ contact_note: yes('kept') }, { secret: 'other' })).url,
    ],
  ])('continues without tools if the tool server %s', async (_, where) => {
    dial(await where())
    const completedCall = await call('+12025550100')
    expect(toolTurns(completedCall)).toEqual(["Couldn't use tools"])
    expect(completedCall).toMatchObject({
      outcome: 'answered',
      ended_reason: 'agent_hung_up',
      goal_met: true,
    })
    expect(errors).toHaveLength(1)
    expect(errors.join()).not.toContain(secret)
  })
})

describe('scheduled callbacks and opt-outs', () => {
  it("schedules the callback that a contact asks for, but doesn't schedule another one during that callback", async () => {
    const server = await serve({ schedule_callback: yes('Scheduled.') })
    dial(server.url)
    const number = '+12025570321' // this number's contact asks to be called back in the first conversation
    expect((await call(number)).summary).toContain('asked to be called back')
    const scheduledAt = new Date(world.deps.clock.now().getTime() + 60_000).toISOString()
    const back = await call(number, { scheduled_at: scheduledAt })
    expect(server.calls.map(({ name }) => name)).toEqual(['schedule_callback'])
    expect(back.goal_met).toBe(true)
  })

  it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    "schedules a callback for the day that's tomorrow in the contact's time zone, %s",
    async (timeZone) => {
      const contactFacts = `Name: Maya\nLocal time: a Tuesday, or so (${timeZone})\nDo not call: no`
      const server = await serve({ contact_lookup: yes(contactFacts), schedule_callback: yes('Scheduled.') })
      dial(server.url)
      await call('+12025570321')
      const tomorrow = new Date(world.deps.clock.now().getTime() + 24 * 3_600_000)
      const date = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(tomorrow)
      expect(server.calls.at(-1)).toEqual({ name: 'schedule_callback', args: { at: `${date}T16:00` } })
    },
  )

  it("if a contact opts out, adds the number to the do-not-call list even if the tool doesn't", async () => {
    const server = await serve({ do_not_call: yes('The number is on the do-not-call list.') })
    dial(server.url)
    const completedCall = await call('+12025570106')
    expect(server.calls).toEqual([{ name: 'do_not_call', args: {} }])
    expect(toolTurns(completedCall)).toEqual(['Added the number to the do-not-call list'])
    expect(completedCall.contact.do_not_call).toBe(true)
  })
})
