import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { RuntimeReport } from '@outdial/contract'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { createApp } from '../../../app.ts'
import { emptyResult } from '../../../calling/dialer/attempt-result.ts'
import { type ClaimedAttempt } from '../../../calling/dialer/claim-calls.ts'
import { finishAttempt } from '../../../calling/dialer/finish-attempt.ts'
import { parseConfig } from '../../../config.ts'
import { createAttemptToken } from '../../../platform/secrets/attempt-tokens.ts'
import { seedCall } from '../../support/calls.ts'
import { claimAndSettle } from '../../support/claim-and-settle.ts'
import { freshNumber } from '../../support/factories.ts'
import { countBadReports } from '../../support/http-runtime.ts'
import { type InputField, listInputFields, textsOverLimit } from '../../support/input-fields.ts'
import { waitForLockWaiters } from '../../support/locks.ts'
import { useCallsWorld } from '../../support/world.ts'

const secret = 'runtime-secret-of-at-least-thirty-two-characters'
const newSecret = 'another-runtime-secret-of-thirty-two-characters'
const timestamp = '2026-05-04T15:00:30.000Z'
const answered: RuntimeReport = { sequence: 2, type: 'answered', at: timestamp }
const busy: RuntimeReport = { sequence: 3, type: 'ended', outcome: 'busy', at: timestamp }

const config = parseConfig({ RUNTIME_SECRET: `${newSecret},${secret}`, LOG_LEVEL: 'silent' })
const logLines: string[] = []
const log = pino({ level: 'warn' }, { write: (line: string) => void logLines.push(line) })
const world = useCallsWorld(() => ({ config, log }))
let app: FastifyInstance
let attempt: ClaimedAttempt
beforeEach(async () => {
  logLines.length = 0
  app = await createApp(world.deps)
  attempt = await claim('http')
})
afterEach(() => app.close())

const claim = async (provider: string): Promise<ClaimedAttempt> => {
  await seedCall(world.deps, world.seed, freshNumber())
  const [claimed] = await claimAndSettle(
    world.deps,
    { provider, workerId: crypto.randomUUID(), leaseMs: 60_000 },
    1,
  )
  if (claimed === undefined) throw new Error('there was nothing to claim')
  return claimed
}
const report = (body: unknown, more: { id?: string; headers?: Record<string, string> } = {}) =>
  app.inject({
    method: 'POST',
    url: `/api/internal/attempts/${more.id ?? attempt.id}/reports`,
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      ...more.headers,
    },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  })
const listReports = async () => {
  const rows = await world.deps.db
    .selectFrom('attempt_report')
    .select(['sequence', 'body'])
    .where('attempt_id', '=', attempt.id)
    .orderBy('sequence')
    .execute()
  return rows.map(({ body }) => body)
}
const getErrorCode = (response: { json: () => unknown }) =>
  (response.json() as { error: { code: string } }).error.code

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Returns the name of a field in the reports below. For an extracted value, whose name can be any text, they use `any`. */
const toName = (name: string) => (name === '*' ? 'any' : name)

const hasField = (value: unknown, [name, ...rest]: readonly string[]): boolean =>
  name === undefined || (isObject(value) && toName(name) in value && hasField(value[toName(name)], rest))

/** Returns a copy of a report in which the text replaces a field's value or, if `isKey` is true, its name. */
function withText(
  value: unknown,
  { path, isKey }: Pick<InputField, 'path' | 'isKey'>,
  text: string,
): unknown {
  const [name, ...rest] = path
  if (name === undefined || !isObject(value)) return text
  if (isKey && rest.length === 0) return { [text]: 'Short.' }
  const inner = withText(value[toName(name)], { path: rest, isKey }, text)
  return Array.isArray(value) ? [inner] : { ...value, [toName(name)]: inner }
}

describe('repeated and late reports', () => {
  it('saves only one of two contradicting end reports that arrive at the same time, and rejects the other', async () => {
    const { db } = world.deps
    // Both requests wait for this transaction before they save their reports.
    const responses = await db.transaction().execute(async (erasure) => {
      await erasure
        .selectFrom('contact')
        .select('id')
        .where('workspace_id', '=', world.seed.workspaceId)
        .forUpdate()
        .execute()
      const requests = [report(busy), report({ ...busy, sequence: 4, outcome: 'declined' })]
      await waitForLockWaiters(db, 2)
      return requests.map(async (request) => (await request).statusCode)
    })
    expect((await Promise.all(responses)).sort()).toEqual([200, 409])
    expect(await listReports()).toHaveLength(1)
  })

  it('accepts reports in any order, and ignores a report whose sequence number it already has', async () => {
    const first = await report(busy)
    expect([first.statusCode, first.json()]).toEqual([200, { attempt_id: attempt.id, sequence: 3 }])
    expect((await report(answered)).statusCode).toBe(200)
    expect((await report({ ...busy, outcome: 'declined' })).statusCode).toBe(200)
    expect(await listReports()).toEqual([answered, busy])
  })

  it('saves a report once when it arrives 50 times at the same time', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => report(busy)))
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(await listReports()).toEqual([busy])
  })

  it('after an end report, accepts earlier reports that arrive late and the same end report again, but no later reports', async () => {
    await report(busy)
    const later = await report({ ...answered, sequence: 4 })
    expect([later.statusCode, getErrorCode(later)]).toEqual([409, 'attempt_ended'])
    await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))
    expect((await report(busy)).statusCode).toBe(200)
    expect((await report(answered)).statusCode).toBe(200) // arrived late, but happened before the end
    expect((await report({ ...busy, sequence: 5 })).statusCode).toBe(409)
  })

  it.each([1, 4])(
    'keeps the first end report and rejects a contradicting one with sequence %s',
    async (sequence) => {
      await report(busy)
      const other = await report({ ...busy, sequence, outcome: 'declined' })
      expect([other.statusCode, getErrorCode(other)]).toEqual([409, 'attempt_ended'])
      expect(await listReports()).toEqual([busy])
    },
  )

  it('accepts a report even if an earlier saved report exceeds the current limits', async () => {
    const longTime = `2026-05-04T15:00:30.${'0'.repeat(80)}Z`
    const body = { ...answered, at: longTime }
    await world.deps.db
      .insertInto('attempt_report')
      .values({ attempt_id: attempt.id, sequence: answered.sequence, body: JSON.stringify(body) })
      .execute()
    expect((await report(busy)).statusCode).toBe(200)
    expect(await listReports()).toEqual([body, busy])
  })

  it('rejects an end report that arrives after the attempt has ended without one', async () => {
    await finishAttempt(world.deps, attempt, emptyResult('no_answer', 'ring_timeout'))
    expect((await report(busy)).statusCode).toBe(409)
    expect(await listReports()).toEqual([])
  })
})

describe('the runtime secret', () => {
  it.each([
    ['no secret', { authorization: '' }, 'missing_credential'],
    ['a wrong secret', { authorization: 'Bearer guessed' }, 'invalid_credential'],
    ['two different secrets', { 'x-agent-secret': 'guessed' }, 'invalid_credential'],
  ])(
    'rejects a report with %s before checking the attempt ID and the body',
    async (_, headers: Record<string, string>, code) => {
      const response = await report('{', { headers, id: 'nonsense' })
      expect([response.statusCode, getErrorCode(response)]).toEqual([401, code])
      expect(response.headers['www-authenticate']).toBeDefined()
      expect(response.body).not.toContain(secret)
    },
  )

  it('accepts a second valid secret in the Authorization or the X-Agent-Secret header', async () => {
    expect((await report(answered, { headers: { authorization: `Token ${newSecret}` } })).statusCode).toBe(
      200,
    )
    const agentHeaders = { authorization: '', 'x-agent-secret': newSecret }
    expect((await report(busy, { headers: agentHeaders })).statusCode).toBe(200)
  })
})

describe('the attempt token', () => {
  const bearer = (attemptId: string) => ({
    headers: { authorization: `Bearer ${createAttemptToken(world.deps.attemptTokenKey, attemptId)}` },
  })
  const createAnsweredResult = () => ({
    ...emptyResult('answered', 'contact_hung_up'),
    answeredAt: world.deps.clock.now(),
    transcript: [{ role: 'agent' as const, text: 'Hello.', at: timestamp }],
  })
  const analysis: RuntimeReport = {
    ...{ sequence: 9, type: 'analysis', at: timestamp },
    analysis: { summary: 'Wants a visit.', sentiment: 'positive', goal_met: true, extracted: {} },
  }

  it('authenticates only reports about its own attempt', async () => {
    expect((await report(answered, bearer(attempt.id))).statusCode).toBe(200)
    const other = await claim('http')
    const response = await report(answered, { ...bearer(attempt.id), id: other.id })
    expect([response.statusCode, getErrorCode(response)]).toEqual([404, 'not_found'])
  })

  it('is valid until the analysis arrives', async () => {
    await finishAttempt(world.deps, attempt, createAnsweredResult())
    expect((await report(analysis, bearer(attempt.id))).statusCode).toBe(200)
    const response = await report({ ...analysis, sequence: 10 }, bearer(attempt.id))
    expect([response.statusCode, getErrorCode(response)]).toEqual([401, 'expired_credential'])
    expect(response.headers['www-authenticate']).toBeDefined()
  })

  it('expires at the end of an attempt that has no analysis', async () => {
    await report(busy, bearer(attempt.id))
    await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))
    const response = await report(busy, bearer(attempt.id))
    expect([response.statusCode, getErrorCode(response)]).toEqual([401, 'expired_credential'])
  })
})

describe('the attempt in the URL', () => {
  it.each([
    ['an unknown attempt', () => crypto.randomUUID()],
    ['an invalid attempt ID', () => '42'],
  ])('returns 404 for a report about %s', async (_, id) => {
    const response = await report(answered, { id: id() })
    expect([response.statusCode, getErrorCode(response)]).toEqual([404, 'not_found'])
  })

  it("returns 404 for a report about another provider's attempt", async () => {
    const { id } = await claim('simulated')
    expect((await report(answered, { id })).statusCode).toBe(404)
  })
})

describe('the fields of a report', () => {
  it.each([
    ['a missing type', { sequence: 1, at: timestamp }, 'type'],
    ['a missing sequence', { type: 'answered', at: timestamp }, 'sequence'],
    ['a sequence of 0', { ...answered, sequence: 0 }, 'sequence'],
    ['an invalid time', { ...answered, at: 'now' }, 'at'],
    ['an end report without an outcome', { sequence: 1, type: 'ended', at: timestamp }, 'outcome'],
    [
      'a conversation without a transcript',
      { ...busy, outcome: 'answered', ended_reason: 'agent_hung_up' },
      'transcript',
    ],
    ["an outcome that a runtime can't report", { ...busy, outcome: 'suppressed' }, 'outcome'],
    ['an unknown field', { ...answered, cost: 3 }, 'cost'],
    [
      'an unknown role',
      { ...busy, ...endedReport(), transcript: [{ role: 'bot', text: 'Hello.', at: timestamp }] },
      'transcript.0.role',
    ],
  ])('rejects %s and names the field', async (_, body, field) => {
    const response = await report(body)
    const { error } = response.json<{ error: { details: { field: string }[]; request_id: string } }>()
    expect(response.statusCode).toBe(422)
    expect(error.details.map((detail) => detail.field)).toContain(field)
    expect(error.request_id).toBe(response.headers['x-request-id'])
    expect(await listReports()).toEqual([])
  })

  const conversation = () => ({ ...busy, ...endedReport() })
  const empty = { summary: null, sentiment: null, goal_met: null, extracted: {} }
  const turn = { role: 'agent', text: 'Hello.', at: timestamp }
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))

  it.each([
    [
      'an offset of zero, as Python writes it',
      '2026-05-04T15:00:30.123456+00:00',
      '2026-05-04T15:00:30.123Z',
    ],
    ['any offset', '2026-05-04T20:30:30+05:30', '2026-05-04T15:00:30.000Z'],
  ])('accepts times with %s, and saves them in UTC', async (_, at, utc) => {
    const body = { ...conversation(), at, answered_at: at, transcript: [{ ...turn, at }] }
    expect((await report(body)).statusCode).toBe(200)
    expect(await listReports()).toEqual([
      expect.objectContaining({ at: utc, answered_at: utc, transcript: [{ ...turn, at: utc }] }),
    ])
  })

  it.each([
    [
      'only blank extracted values',
      { analysis: { ...empty, extracted: { a: '', b: '' } } },
      { analysis: empty },
    ],
    [
      'a blank analysis',
      { analysis: { ...empty, summary: '', sentiment: '', goal_met: '' } },
      { analysis: empty },
    ],
    [
      'no values in an analysis',
      { analysis: { summary: null, extracted: null } },
      { analysis: { ...empty, extracted: null } },
    ],
    ['a turn without text', { transcript: [turn, { ...turn, text: '' }] }, { transcript: [turn] }],
    [
      'only turns without text',
      {
        transcript: [
          { ...turn, text: '' },
          { ...turn, text: null },
        ],
      },
      { transcript: [] },
    ],
    [
      'turns without a role or a time',
      { transcript: [{ ...turn, role: '' }, turn, { ...turn, at: ' ' }, null] },
      { transcript: [turn] },
    ],
    ['a blank URL and opt-out', { recording_url: '', do_not_call: '' }, {}],
    [
      'a voicemail without a summary',
      { outcome: 'voicemail', ended_reason: '', summary: '' },
      { summary: null },
    ],
    ['a blank transcript', { transcript: '' }, { transcript: [] }],
    ['a turn of spaces', { transcript: [turn, { ...turn, text: ' \n' }] }, { transcript: [turn] }],
    [
      'nothing but spaces',
      {
        recording_url: ' ',
        do_not_call: ' ',
        analysis: { summary: ' ', sentiment: ' ', goal_met: ' ', extracted: ' ' },
      },
      { analysis: { ...empty, extracted: null } },
    ],
    [
      'empty lists and objects as extracted values',
      { analysis: { ...empty, extracted: { a: [], b: [''], c: {}, d: ' ', e: 'Yes.', f: null } } },
      { analysis: { ...empty, extracted: { e: 'Yes.', f: null } } },
    ],
    [
      'a sentiment in capitals',
      { analysis: { ...empty, sentiment: 'Positive' } },
      { analysis: { ...empty, sentiment: 'positive' } },
    ],
    [
      "a separate analysis that's blank",
      { ...ownAnalysis(), analysis: null },
      { analysis: { ...empty, extracted: null } },
    ],
  ])("accepts a report with %s, and doesn't record it as repaired", async (_, more, saved) => {
    const base = 'type' in more ? {} : conversation()
    expect((await report({ ...base, ...more })).statusCode).toBe(200)
    expect(await listReports()).toEqual([expect.objectContaining(saved)])
    const rows = await world.deps.db.selectFrom('attempt_report').select('changes').execute()
    expect(rows).toEqual([{ changes: [] }])
  })

  it.each<[string, object, object]>([
    [
      'a long text of a turn',
      { transcript: [{ ...turn, text: `${'x'.repeat(9_999)}😀` }] },
      { transcript: [{ ...turn, text: `${'x'.repeat(9_999)}\uFFFD` }] },
    ],
    [
      'a transcript of almost 4 MiB',
      { transcript: Array.from({ length: 20_000 }, () => ({ ...turn, text: 'Yes.'.repeat(30) })) },
      { transcript: Array.from({ length: 5_000 }, () => ({ ...turn, text: 'Yes.'.repeat(30) })) },
    ],
    [
      'a text of 3 MiB',
      { transcript: [{ ...turn, text: 'x'.repeat(3 * 1024 * 1024) }] },
      { transcript: [{ ...turn, text: 'x'.repeat(10_000) }] },
    ],
    [
      'many turns',
      { transcript: Array.from({ length: 10_000 }, () => ({ ...turn, text: 'Yes.' })) },
      { transcript: Array.from({ length: 5_000 }, () => ({ ...turn, text: 'Yes.' })) },
    ],
    [
      'a long summary',
      { analysis: { ...empty, summary: 'x'.repeat(20_000) } },
      { analysis: { ...empty, summary: 'x'.repeat(10_000) } },
    ],
    [
      'a long extracted value with a long name',
      { analysis: { ...empty, extracted: { ['n'.repeat(300)]: 'x'.repeat(20_000) } } },
      { analysis: { ...empty, extracted: { ['n'.repeat(200)]: 'x'.repeat(10_000) } } },
    ],
    [
      'many extracted values',
      { analysis: { ...empty, extracted: keys(60) } },
      { analysis: { ...empty, extracted: keys(50) } },
    ],
    [
      'a long recording URL',
      { recording_url: `https://example.com/${'x'.repeat(2_000)}` },
      { outcome: 'answered' },
    ],
    ['a recording URL that is not one', { recording_url: 'n/a' }, { outcome: 'answered' }],
    ['a recording URL of another kind', { recording_url: 'file:///etc/passwd' }, { outcome: 'answered' }],
    [
      'a sentiment that does not exist',
      { analysis: { ...empty, summary: 'Short.', sentiment: 'angry' } },
      { analysis: { ...empty, summary: 'Short.' } },
    ],
    [
      'values of the wrong type',
      { analysis: { summary: 3, sentiment: [], goal_met: 'maybe', extracted: [1] } },
      { analysis: { ...empty, extracted: null } },
    ],
    [
      'a list and an object as extracted values',
      { analysis: { ...empty, extracted: { days: ['Mon', '', 'Tue'], when: { day: 'Mon' }, time: 9 } } },
      { analysis: { ...empty, extracted: { days: 'Mon, Tue', time: 9 } } },
    ],
    [
      'an extracted value with the name of a prototype',
      { analysis: { ...empty, extracted: JSON.parse('{"__proto__":1,"b":2}') as object } },
      { analysis: { ...empty, extracted: { b: 2 } } },
    ],
    [
      'an extracted value that is nested deeply',
      { analysis: { ...empty, extracted: { a: nest(3_000), b: 2 } } },
      { analysis: { ...empty, extracted: { b: 2 } } },
    ],
    [
      'an unknown field of an analysis',
      { analysis: { ...empty, '+12025550199': 'Maya', summary: 'Short.' } },
      { analysis: { ...empty, summary: 'Short.' } },
    ],
    ['an analysis that is a text', { analysis: 'Good.' }, { analysis: null }],
    [
      'half an emoji and NUL',
      {
        transcript: [{ ...turn, text: 'Yes\u0000' }],
        analysis: { ...empty, summary: 'Good \ud83d', extracted: { 'a\u0000': '\ud83d' } },
      },
      {
        transcript: [{ ...turn, text: 'Yes\uFFFD' }],
        analysis: { ...empty, summary: 'Good \uFFFD', extracted: { 'a\uFFFD': '\uFFFD' } },
      },
    ],
  ])('repairs %s, and records the repair only once if the report is repeated', async (_, more, saved) => {
    expect((await report({ ...conversation(), ...more })).statusCode).toBe(200)
    expect((await report({ ...conversation(), ...more })).statusCode).toBe(200)
    expect(await listReports()).toEqual([expect.objectContaining(saved)])
    const rows = await world.deps.db.selectFrom('attempt_report').select('changes').execute()
    expect(rows.map(({ changes }) => changes.length > 0)).toEqual([true])
    expect(logLines.join()).toContain(rows[0]?.changes[0])
    expect(logLines.join() + JSON.stringify(rows)).not.toContain('2025550199')
    expect(await countBadReports(world.deps.metrics)).toEqual({ repaired: 1, unreadable: 0 })
  })

  /** Every text field of a report, with a report that has it. Leaves out times: a text that's too long isn't a time at all. */
  const texts = listInputFields(RuntimeReport)
    .filter(({ maxLength, path }) => maxLength !== null && !/^(at|answered_at)$/.test(path.at(-1) ?? ''))
    .map((field) => {
      const full = fullReports().find((one) => hasField(one, field.path))
      return [field.path.join('.') + (field.isKey ? ' (name)' : ''), field, full] as const
    })

  it.each(texts)("shortens the text of %s if it's over the limit", async (_, field, full) => {
    if (full === undefined) throw new Error(`no report has ${field.path.join('.')}`)
    const [, text = ''] = textsOverLimit(field)
    expect((await report(withText(full, field, text))).statusCode).toBe(200)
    const [saved] = await listReports()
    expect(saved).toMatchObject({ type: full.type, sequence: full.sequence })
    const longest =
      JSON.stringify(saved)
        .match(/x+/g)
        ?.reduce((max, run) => Math.max(max, run.length), 0) ?? 0
    expect(longest).toBeLessThanOrEqual(field.maxLength ?? 0)
  })

  it('include at least six texts whose length is limited', () =>
    expect(texts.length).toBeGreaterThanOrEqual(6))

  function ownAnalysis() {
    return { sequence: 4, type: 'analysis', at: timestamp }
  }

  /** Returns a text inside `levels` nested lists. */
  function nest(levels: number): unknown {
    return levels === 0 ? 'Short.' : [nest(levels - 1)]
  }

  /** Reports that together have every field. */
  function fullReports(): Record<string, unknown>[] {
    const analysis = {
      summary: 'Short.',
      sentiment: 'positive',
      goal_met: true,
      extracted: { any: 'Short.' },
    }
    return [
      { ...busy, ...endedReport(), recording_url: 'https://example.com/', analysis },
      { ...busy, outcome: 'voicemail', answered_at: timestamp, transcript: [], summary: 'Short.' },
      { ...ownAnalysis(), analysis },
    ]
  }

  function endedReport() {
    return {
      outcome: 'answered',
      ended_reason: 'agent_hung_up',
      answered_at: timestamp,
      transcript: [{ role: 'agent', text: 'Hello.', at: timestamp }],
    }
  }
})

describe('the HTTP request', () => {
  it.each([
    ['malformed JSON', '{', {}, 400, 'malformed_json'],
    ['an empty body', '', {}, 400, 'malformed_json'],
    ['a text/plain body', 'a=b', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['a body over 4 MiB', 'x'.repeat(4 * 1024 * 1024 + 1), {}, 413, 'body_too_large'],
    ['a body with more than 100,000 values', `[${'1,'.repeat(100_000)}1]`, {}, 422, 'validation_failed'],
    ['an unknown field', JSON.stringify({ ...answered, color: 'red' }), {}, 422, 'unknown_field'],
    [
      "text that can't be stored",
      JSON.stringify({ ...answered, at: 'a\u0000' }),
      {},
      422,
      'validation_failed',
    ],
  ])('rejects %s', async (_, body, headers: Record<string, string>, status, code) => {
    const response = await report(body, { headers })
    expect([response.statusCode, getErrorCode(response)]).toEqual([status, code])
  })

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'] as const)(
    'rejects %s with status 405, and lists the allowed methods',
    async (method) => {
      const response = await app.inject({ method, url: `/api/internal/attempts/${attempt.id}/reports` })
      expect([response.statusCode, getErrorCode(response), response.headers.allow]).toEqual([
        405,
        'method_not_allowed',
        'OPTIONS, POST',
      ])
    },
  )
})
