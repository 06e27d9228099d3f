import { beforeEach, describe, expect, it } from '@jest/globals'
import type { Call, CallingHours } from '@outdial/contract'
import { cancelCall } from '../../../queue/calls/cancel-call.ts'
import { addToDoNotCallList } from '../../../queue/calls/do-not-call.ts'
import { scheduleCallback } from '../../../tools/kinds/schedule-callback.ts'
import { getCall, seedCall, toCaller } from '../../support/calls.ts'
import { freshNumber, seedCampaign, seedWorkspace } from '../../support/factories.ts'
import { createToolUse } from '../../support/tools.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld() // its clock starts on Monday at 11:00 in New York
let dialerNotified: number
beforeEach(() => {
  dialerNotified = 0
})

interface ConversationOptions {
  number?: string
  timeZone?: string
  test?: boolean
  hours?: CallingHours
  campaignZone?: string
}

/** Creates a live call. Returns the call, and functions that act as its agent. */
async function seedConversation({
  number = freshNumber(),
  timeZone,
  test = false,
  hours,
  campaignZone,
}: ConversationOptions = {}) {
  const more = { ...(hours && { callingHours: hours }), ...(campaignZone && { timeZone: campaignZone }) }
  const campaignId = await seedCampaign(world.deps, { ...world.seed, ...more })
  const call = await seedCall(world.deps, { ...world.seed, campaignId }, number, {
    time_zone: timeZone,
    test,
  })
  const { db } = world.database
  await db
    .updateTable('call')
    .set({ status: 'in_progress', next_attempt_at: null })
    .where('id', '=', call.id)
    .execute()
  const row = {
    ...{ id: 1, workspaceId: world.seed.workspaceId, version: 1, settings: {}, secrets: null },
    ...{ kind: scheduleCallback.kind, name: 'schedule_callback', description: '', inputSchema: {} },
  }
  const facts = {
    ...{ attemptId: '00000000-0000-4000-8000-000000000000', callId: call.id, phoneNumber: number, test },
    ...{ campaignId, contactId: call.contact.id },
  }
  world.deps.notify = { ...world.deps.notify, callQueued: () => void (dialerNotified += 1) }
  return {
    campaignId,
    ask: (at: string, within = row) =>
      scheduleCallback.run(world.deps, createToolUse(within, { at }, { call: facts, dryRun: test })),
    /** Returns the campaign's other calls. */
    waiting: async () => {
      const others = db.selectFrom('call').select('id').where('campaign_id', '=', campaignId)
      const rows = await others.where('id', '<>', call.id).orderBy('id').execute()
      return Promise.all(rows.map(({ id }) => getCall(world.deps, world.seed, id)))
    },
    row,
    number,
  }
}

describe('the requested time', () => {
  it("is in the contact's time zone, and the tool returns when the callback is scheduled", async () => {
    const { ask: requestCallback, waiting } = await seedConversation({ timeZone: 'Europe/Berlin' })
    expect(await requestCallback('2026-05-05T15:30')).toEqual({
      text: 'Callback scheduled for Tuesday, May 5, 2026 at 3:30 PM (Europe/Berlin).',
      isError: false,
    })
    expect(await waiting()).toMatchObject([
      {
        status: 'queued',
        scheduled_at: '2026-05-05T13:30:00.000Z',
        test: false,
        contact: { first_name: 'Maya' },
      },
    ])
    expect(dialerNotified).toBe(0) // the call isn't due yet
  })

  const chicago = '+13125550143'
  const tollFree = '+18005550143'

  it.each([
    [
      'the time zone of the phone number',
      { number: chicago, campaignZone: 'Europe/Paris' },
      '2026-05-05T20:30:00.000Z',
    ],
    [
      "the campaign's time zone",
      { number: tollFree, campaignZone: 'Europe/Paris' },
      '2026-05-05T13:30:00.000Z',
    ],
  ])('is in %s if the contact has no time zone', async (_zone, place, at) => {
    const { ask: requestCallback, waiting } = await seedConversation(place)
    await requestCallback('2026-05-05T15:30:00')
    expect(await waiting()).toMatchObject([{ scheduled_at: at }])
  })

  it.each([
    ['2026-05-05T15:30:00Z', '2026-05-05T15:30:00.000Z'],
    ['2026-05-05T15:30-07:00', '2026-05-05T22:30:00.000Z'],
    ['2026-05-05 15:30', '2026-05-05T19:30:00.000Z'],
    // In March, clocks jump from 02:00 to 03:00, so 02:30 doesn't exist. In November, 01:30 occurs twice.
    ['2027-03-14T02:30', '2027-03-14T07:30:00.000Z'],
    ['2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
  ])('can be written as %s', async (written, at) => {
    const { ask: requestCallback, waiting } = await seedConversation()
    await requestCallback(written)
    expect(await waiting()).toMatchObject([{ scheduled_at: at }])
  })

  it.each([
    ['tomorrow', 'at must be a date and time, for example'],
    ['2026-05-05', 'at must be a date and time, for example'],
    ['2026-02-30T10:00', 'at must be a date and time, for example'],
    ['2026-05-04T10:59', 'Monday, May 4, 2026 at 10:59 AM (America/New_York) is in the past.'],
    ['2026-05-04T15:00:00Z', 'is in the past.'],
    ['0000-01-01T00:00', 'is in the past.'],
    ['2027-05-05T11:00', 'is more than a year ahead.'],
  ])("can't be %s, and the error says what time it is now", async (written, message) => {
    const { ask: requestCallback, waiting } = await seedConversation()
    await expect(requestCallback(written)).rejects.toThrow(message)
    await expect(requestCallback(written)).rejects.toThrow(
      "It's Monday, May 4, 2026 at 11:00 AM (America/New_York) now.",
    )
    expect(await waiting()).toEqual([])
    expect(dialerNotified).toBe(0)
  })

  it("is moved if it's outside calling hours, and the tool returns the later time", async () => {
    const { ask: requestCallback } = await seedConversation({
      hours: { days: ['mon', 'wed'], start: '09:00', end: '17:00' },
    })
    expect((await requestCallback('2026-05-05T15:30')).text).toBe(
      "Callback scheduled for Wednesday, May 6, 2026 at 9:00 AM (America/New_York) instead, because calls aren't allowed at the requested time.",
    )
  })
})

describe('repeated requests', () => {
  it('schedules one callback per conversation, and moves it when another time is requested', async () => {
    const { ask: requestCallback, waiting } = await seedConversation()
    const first = await requestCallback('2026-05-05T15:30')
    expect(await requestCallback('2026-05-05T15:30')).toEqual(first)
    expect(await waiting()).toHaveLength(1)
    expect((await requestCallback('2026-05-06T15:30')).text).toContain('Wednesday, May 6, 2026 at 3:30 PM')
    expect(await waiting()).toMatchObject([
      {
        status: 'queued',
        scheduled_at: '2026-05-06T19:30:00.000Z',
        next_attempt_at: '2026-05-06T19:30:00.000Z',
      },
    ])
  })

  it('if a call is already queued for the requested time, makes it the callback, and moves it when another time is requested', async () => {
    const { ask: requestCallback, waiting, campaignId, number } = await seedConversation()
    await seedCall(world.deps, { ...world.seed, campaignId }, number, {
      scheduled_at: '2026-05-05T15:30:00-04:00',
      if_already_queued: 'queue',
    })
    expect(await waiting()).toMatchObject([{ origin: { kind: 'api_key' } }])
    await requestCallback('2026-05-05T15:30')
    await requestCallback('2026-05-06T15:30')
    expect(await waiting()).toMatchObject([
      {
        origin: { kind: 'scheduled_callback' },
        scheduled_at: '2026-05-06T19:30:00.000Z',
        next_attempt_at: '2026-05-06T19:30:00.000Z',
      },
    ])
    const exempt = world.database.db.selectFrom('call').select('exempt').where('campaign_id', '=', campaignId)
    expect(await exempt.orderBy('id').execute()).toEqual([{ exempt: false }, { exempt: true }])
  })

  it("doesn't move a callback that is already being placed", async () => {
    const { ask: requestCallback, waiting } = await seedConversation()
    await requestCallback('2026-05-05T15:30')
    const [callback] = await waiting()
    await world.database.db
      .updateTable('call')
      .set({ status: 'dialing', next_attempt_at: null })
      .where('id', '=', callback?.id ?? 0)
      .execute()
    await expect(requestCallback('2026-05-06T15:30')).rejects.toThrow("Don't promise another one.")
  })

  it('schedules another callback after the first one was canceled', async () => {
    const { ask: requestCallback, waiting } = await seedConversation()
    await requestCallback('2026-05-05T15:30')
    const [callback] = await waiting()
    await cancelCall(world.deps, toCaller(world.seed), callback?.id ?? 0)
    await requestCallback('2026-05-06T15:30')
    expect(await waiting()).toMatchObject([{ status: 'completed' }, { status: 'queued' }])
  })

  it('schedules a second callback in a row, but not a third', async () => {
    const { ask: requestCallback, waiting, row, campaignId } = await seedConversation()
    await requestCallback('2026-05-05T15:30')
    const askIn = (call: Call, at: string) =>
      scheduleCallback.run(
        world.deps,
        createToolUse(
          row,
          { at },
          {
            call: {
              ...{
                attemptId: '00000000-0000-4000-8000-000000000000',
                callId: call.id,
                phoneNumber: call.to_number,
              },
              ...{ campaignId, contactId: call.contact.id, test: false },
            },
          },
        ),
      )
    const endLast = async () => {
      const last = (await waiting()).at(-1)
      if (last === undefined) throw new Error('no callback was queued')
      await world.database.db
        .updateTable('call')
        .set({ status: 'in_progress', next_attempt_at: null })
        .where('id', '=', last.id)
        .execute()
      return last
    }
    await askIn(await endLast(), '2026-05-06T15:30')
    expect(await waiting()).toHaveLength(2)
    await expect(askIn(await endLast(), '2026-05-07T15:30')).rejects.toThrow(
      "This is already the second callback in a row, and a third can't be scheduled. Don't promise a callback.",
    )
    expect(await waiting()).toHaveLength(2)
  })

  it('queues one call for simultaneous requests for the same time', async () => {
    const { ask: requestCallback, waiting } = await seedConversation()
    await Promise.all(Array.from({ length: 8 }, () => requestCallback('2026-05-05T15:30')))
    expect(await waiting()).toHaveLength(1)
  })
})

describe('requests that schedule nothing', () => {
  it('have no effect on a test call, but are still rejected if the time is invalid', async () => {
    const { ask: requestCallback, waiting } = await seedConversation({ test: true })
    expect(await requestCallback('2026-05-05T15:30')).toEqual({
      text: 'Test call: nothing was changed. The callback would have been scheduled for Tuesday, May 5, 2026 at 3:30 PM (America/New_York).',
      isError: false,
    })
    await expect(requestCallback('2026-05-03T15:30')).rejects.toThrow('is in the past')
    expect(await waiting()).toEqual([])
  })

  it('are rejected if the number is on the do-not-call list', async () => {
    const number = freshNumber()
    const { ask: requestCallback, waiting } = await seedConversation({ number })
    const now = world.deps.clock.now()
    await addToDoNotCallList(world.deps, world.seed.workspaceId, {
      phoneNumbers: [number],
      source: 'call',
      now,
    })
    await expect(requestCallback('2026-05-05T15:30')).rejects.toThrow(
      "do-not-call list. Don't promise a callback",
    )
    expect(await waiting()).toEqual([])
  })

  it('are rejected if the campaign is archived', async () => {
    const { ask: requestCallback, waiting, campaignId } = await seedConversation()
    await world.database.db
      .updateTable('campaign')
      .set({ status: 'archived' })
      .where('id', '=', campaignId)
      .execute()
    await expect(requestCallback('2026-05-05T15:30')).rejects.toThrow(
      "campaign is archived. Don't promise a callback",
    )
    expect(await waiting()).toEqual([])
  })

  it('are rejected in a session without a call', async () => {
    const { row } = await seedConversation()
    expect(
      await scheduleCallback.run(world.deps, createToolUse(row, { at: '2026-05-05T15:30' })),
    ).toMatchObject({
      isError: true,
    })
  })

  it('are rejected if the call belongs to another workspace', async () => {
    const { ask: requestCallback, waiting, row } = await seedConversation()
    const other = await seedWorkspace(world.deps, 'Other')
    await expect(
      requestCallback('2026-05-05T15:30', { ...row, workspaceId: other.workspaceId }),
    ).rejects.toThrow('was erased')
    expect(await waiting()).toEqual([])
  })
})
