import { describe, expect, it } from '@jest/globals'
import type { Call, RuntimeReport } from '@outdial/contract'
import { sql } from 'kysely'
import { parseCallState } from '../../../calling/telephony/http-runtime/parse-call-state.ts'
import { readStories } from '../../../dashboard/stories/read-story.ts'
import { advanceUntil, advanceUntilCompleted, getCall } from '../../support/calls.ts'
import { asSuperuser } from '../../support/database.ts'
import { countBadReports, useHttpRuntimeWorld } from '../../support/http-runtime.ts'
import { receiveReport } from '../../support/receive-report.ts'
import { waitFor } from '../../support/wait.ts'

const world = useHttpRuntimeWorld()
const { analysis, answered, ended, reportOnlyToRuntime, reportToBoth } = world
const { startRinging, timestamp } = world

const isInProgress = (call: Call) => call.status === 'in_progress'

const said = { role: 'contact' as const, text: 'Yes.', at: '2026-05-04T15:00:01.000Z' }

describe('asking the runtime', () => {
  it("gets reports that the runtime didn't send to Outdial", async () => {
    const { id, attemptId } = await startRinging()
    reportOnlyToRuntime(attemptId, answered(1), ended(2))
    const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
    expect(call).toMatchObject({ outcome: 'answered', summary: 'Wants a visit.' })
    expect(world.runtime.dialRequests()).toHaveLength(1)
  })

  it("completes a call even if its transcript has characters that can't be stored, and replaces them", async () => {
    const { id, attemptId } = await startRinging()
    const turn = { role: 'contact' as const, text: 'Yes\u0000\ud800', at: new Date().toISOString() }
    reportOnlyToRuntime(attemptId, answered(1), ended(2, { analysis, transcript: [turn] }))
    const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
    expect(call).toMatchObject({ outcome: 'answered', transcript: [{ text: 'Yes\uFFFD\uFFFD' }] })
  })

  it.each([
    ["a name that can't be stored", { analysis: { ...analysis, extracted: { 'a\u0000\ud800': 1 } } }, {}],
    ['an empty recording URL', { analysis, recording_url: '' }, { recording_url: null }],
    ['an invalid recording URL', { analysis, recording_url: 'later' }, { recording_url: null }],
    ['unknown fields', { analysis, cost: 3 }, {}],
    [
      'a turn without a role',
      { analysis, transcript: [{ ...said, role: '' }, said] },
      { transcript: [{ text: 'Yes.' }] },
    ],
    ['a transcript of the wrong type', { analysis, transcript: 'Hello.' }, { transcript: [] }],
    [
      'an analysis that is wrong in part',
      { analysis: { ...analysis, sentiment: 'angry', extracted: { a: [[{}]] }, why: '…' } },
      { summary: 'Wants a visit.', sentiment: 'unknown' },
    ],
    ['an analysis of the wrong type', { analysis: 'good' }, { sentiment: 'unknown' }],
    ['an invalid time', { analysis, at: '+12025550199', answered_at: '' }, { summary: 'Wants a visit.' }],
    [
      'nothing but blank values',
      { analysis: { summary: '', sentiment: '', extracted: { a: '' } } },
      { extracted: {} },
    ],
  ])('completes a call even if its end report has %s', async (_, more, turns) => {
    const { id, attemptId } = await startRinging()
    reportOnlyToRuntime(attemptId, answered(1), ended(2, more))
    const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
    expect(call).toMatchObject({ outcome: 'answered', attempts: 1, ...turns })
  })

  it("shortens values over their limits, and records each change in the log and in the call's story", async () => {
    const { id, attemptId } = await startRinging()
    const long = { ...analysis, summary: '+12025550199'.repeat(1_000) }
    reportOnlyToRuntime(attemptId, answered(1), ended(2, { analysis: long }))
    const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
    expect(call).toMatchObject({ outcome: 'answered', summary: long.summary.slice(0, 10_000) })
    const change = 'analysis.summary: shortened to 10,000 characters'
    expect(world.logLines.join()).toContain(change)
    expect(await countBadReports(world.deps.metrics)).toEqual({ repaired: 1, unreadable: 0 })
    expect(world.logLines.join()).not.toContain('2025550199')
    const [story] = await readStories(world.deps, { workspaceId: world.seed.workspaceId, callId: id })
    expect(story?.steps.map(({ detail }) => detail)).toContain(`${change}.`)
  })

  it("treats a contact as opted out if the report's do_not_call can't be read", async () => {
    const { id, attemptId } = await startRinging()
    reportOnlyToRuntime(attemptId, answered(1), ended(2, { analysis, do_not_call: 'yes' }))
    expect(await advanceUntilCompleted(world.deps, world.seed, id, 1_000)).toMatchObject({
      contact: { do_not_call: true },
    })
  })

  it("does not hang up on a contact if the answer time can't be read, and does not log the report's values", async () => {
    const { id, attemptId } = await startRinging()
    reportOnlyToRuntime(
      attemptId,
      { sequence: 1, type: 'ringing', at: timestamp() },
      { ...answered(2), at: '+12025550199' },
    )
    await waitFor(
      async () => world.runtime.requestsWith('GET').length > 2,
      () => world.deps.clock.advance(20_000),
    )
    expect(world.runtime.requestsWith('DELETE')).toEqual([])
    expect(world.logLines.join()).toContain('at: not readable')
    expect(world.logLines.join()).not.toContain('2025550199')
    reportOnlyToRuntime(attemptId, ended(3))
    expect(await advanceUntilCompleted(world.deps, world.seed, id, 1_000)).toMatchObject({
      outcome: 'answered',
    })
  })

  it.each<[string, (attemptId: string) => void]>([
    [
      "while one report can't be read",
      (id) => reportOnlyToRuntime(id, { sequence: 2, type: 'humming' } as unknown as RuntimeReport),
    ],
    ["while the whole response can't be read", () => (world.runtime.stateBody = '<html>')],
    ...[301, 400, 401, 500].map((status): [string, () => void] => [
      `while the runtime returns ${status}`,
      () => (world.runtime.statusByMethod.GET = status),
    ]),
    [
      'while responses are compressed incorrectly',
      () => (world.runtime.stateHeaders = { 'content-encoding': 'gzip' }),
    ],
  ])('%s, asks less and less often, and hangs up at the ring limit', async (_, fail) => {
    const { id, attemptId } = await startRinging()
    fail(attemptId)
    const call = await advanceUntilCompleted(world.deps, world.seed, id, 250)
    expect(call).toMatchObject({ outcome: 'no_answer', ended_reason: 'ring_timeout' })
    expect(world.runtime.requestsWith('DELETE')).toHaveLength(1)
    const { repaired, unreadable } = await countBadReports(world.deps.metrics)
    expect(unreadable).toBeGreaterThan(1)
    expect(repaired).toBe(0)
    // The service asks for the call's state after 15, 17, 21, and 29 seconds, and at the ring limit.
    expect(world.runtime.requestsWith('GET').length).toBeLessThanOrEqual(6)
  })

  it.each(['{"reports":[],"to":+12025550199}', '+12025550199', '{"to":"+12025550199"}'])(
    "rejects a response that isn't a list of reports, and doesn't quote it in the error: %s",
    (body) => {
      const reading = () => parseCallState(body, new Date())
      expect(reading).toThrow(/^the runtime's response isn't [a-zA-Z ]+$/)
    },
  )

  it.each([
    [
      'extracted values',
      `{"reports":[{"type":"ended","analysis":{"extracted":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}}]}`,
    ],
    ['reports', `{"reports":[${'['.repeat(90_000)}${']'.repeat(90_000)}]}`],
  ])('counts a response with deeply nested %s as unreadable, and takes no report from it', (_, body) => {
    const { reports, unreadable } = parseCallState(body, new Date())
    expect([reports, unreadable.length > 0]).toEqual([[], true])
  })

  it('does not record the names of unknown fields in a report', () => {
    const report = { sequence: 1, type: 'ringing', at: timestamp(), '+12025550199': 'Maya' }
    const { reports } = parseCallState(JSON.stringify({ reports: [report] }), new Date())
    expect(reports.flatMap(({ changes }) => changes)).toEqual(['unknown field: not readable'])
  })

  it("doesn't end a call while the saved reports can't be read from the database", async () => {
    const { id, attemptId } = await startRinging()
    await reportToBoth(attemptId, answered(1))
    await advanceUntil(world.deps, world.seed, id, isInProgress)
    await asSuperuser(world.deps.db, (db) =>
      sql`alter table attempt_report rename to attempt_report_away`.execute(db),
    )
    world.runtime.reportsByAttempt.clear()
    const before = world.logLines.length
    await waitFor(
      async () => world.logLines.length > before + 2,
      () => world.deps.clock.advance(10_000),
    )
    expect((await getCall(world.deps, world.seed, id)).status).toBe('in_progress')
    await asSuperuser(world.deps.db, (db) =>
      sql`alter table attempt_report_away rename to attempt_report`.execute(db),
    )
    await receiveReport(world.deps, attemptId, ended(2))
    expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
      outcome: 'answered',
      summary: 'Wants a visit.',
    })
  })
})
