import { beforeEach, describe, expect, it } from '@jest/globals'
import { ContactAdded } from '@outdial/contract'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { changeRules, realConfig, realLease, setRules } from '../support/call-rules.ts'
import { getCall, listEvents } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { freshNumber } from '../support/factories.ts'
import { postContact, queueOverApi, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld({ config: realConfig })

const now = () => api.deps.clock.now()
const daysAgo = (days: number) => new Date(now().getTime() - days * 86_400_000).toISOString()
const written = (days = 1) => ({ consent: { source: 'Website form', at: daysAgo(days), kind: 'written' } })
const oral = (days = 1) => ({ consent: { source: 'Phone', at: daysAgo(days), kind: 'oral' } })

const post = async (fields: object = {}, number = freshNumber()) => {
  const response = await postContact(api, number, fields)
  return { status: response.statusCode, ...ContactAdded.parse(response.json()) }
}
const queue = (fields: object = {}) => queueOverApi(api, freshNumber(), fields)
const read = (id: number) => getCall(api.deps, api.seed, id)
const claim = () => claimAndSettle(api.deps, realLease, 50)
const requireConsent = (
  consentRequired: 'none' | 'any' | 'written',
  consentMaxAgeDays: number | null = null,
) =>
  editCampaign(api.deps, api.seed.workspaceId, api.seed.campaignId, {
    consentRequired,
    consentMaxAgeDays,
    retry: { max_attempts: 3, delay_minutes: 1, on: ['busy'] },
  })

const suppressed = (endedReason: string) => ({
  status: 'completed',
  outcome: 'suppressed',
  ended_reason: endedReason,
})

beforeEach(async () => {
  await api.deps.db.deleteFrom('call').execute()
  await setRules(api.deps, api.seed, {})
  await requireConsent('written', 30)
})

describe('when a call is queued', () => {
  it('if the required consent is missing, immediately suppresses the call, creates its event, and returns a warning', async () => {
    const { status, call, call_queued, warnings } = await post()
    expect([status, call_queued]).toEqual([201, true])
    expect(call).toMatchObject(suppressed('consent_missing'))
    expect(warnings).toEqual([
      {
        field: 'consent',
        code: 'consent_missing',
        message:
          "The contact hasn't given the consent that the campaign requires. The contact isn't called. Send the consent to queue another call.",
      },
    ])
    expect((await listEvents(api.deps, call.id)).map(({ data }) => data)).toMatchObject([
      suppressed('consent_missing'),
    ])
  })

  it.each([
    ['suppresses a call without consent', () => ({}), 'consent_missing'],
    ['suppresses a call with oral consent', () => oral(), 'consent_missing'],
    ["suppresses a call with written consent that's too old", () => written(31), 'consent_expired'],
    ['queues a call with recent written consent', () => written(), null],
  ])('if recent written consent is required, %s', async (_name, consent, reason) => {
    const call = await queue(consent())
    expect(call).toMatchObject(reason === null ? { status: 'queued' } : suppressed(reason))
  })

  it('if the campaign requires any kind of consent, accepts old oral consent, but not a missing consent', async () => {
    await requireConsent('any')
    expect(await queue(oral(4_000))).toMatchObject({ status: 'queued' })
    expect(await queue()).toMatchObject(suppressed('consent_missing'))
  })

  it('uses the consent that is already stored for the contact', async () => {
    const number = freshNumber()
    const campaign = { campaign_id: api.seed.campaignId }
    await post(written(), number)
    await api.deps.db.deleteFrom('call').execute()
    expect((await post(campaign, number)).call).toMatchObject({ status: 'queued' })
  })

  it('requires no consent for test calls', async () => {
    expect(await queue({ test: true })).toMatchObject({ status: 'queued' })
  })

  it("applies the workspace's requirement for consent to every campaign, even one that requires none itself", async () => {
    await requireConsent('none')
    await setRules(api.deps, api.seed, { consent_required: 'any', consent_max_age_days: '10' })
    expect(await queue()).toMatchObject(suppressed('consent_missing'))
    expect(await queue(oral(11))).toMatchObject(suppressed('consent_expired'))
    expect(await queue(oral(9))).toMatchObject({ status: 'queued' })
    await requireConsent('written', 5)
    expect(await queue(oral(1))).toMatchObject(suppressed('consent_missing'))
    expect(await queue(written(6))).toMatchObject(suppressed('consent_expired'))
  })

  it('if the do-not-call list and a missing consent both suppress the call, names only the list as the reason', async () => {
    expect(await queue({ do_not_call: true })).toMatchObject(suppressed('do_not_call'))
  })
})

describe('when a call is claimed', () => {
  it('suppresses a call whose consent was withdrawn or expired while the call waited', async () => {
    const withdrawn = await queue(written())
    const expired = await queue({ ...written(), scheduled_at: new Date(now().getTime() + 1_000) })
    const contacts = api.deps.db
      .updateTable('contact')
      .set({ consent_source: null, consent_at: null, consent_kind: null })
    await contacts.where('id', '=', withdrawn.contact.id).execute()
    expect(await claim()).toEqual([])
    expect(await read(withdrawn.id)).toMatchObject(suppressed('consent_missing'))
    const old = api.deps.db.updateTable('contact').set({ consent_at: new Date(daysAgo(31)) })
    await old.where('id', '=', expired.contact.id).execute()
    api.deps.clock.advance(2_000)
    expect(await claim()).toEqual([])
    expect(await read(expired.id)).toMatchObject(suppressed('consent_expired'))
  })
})

describe('when an attempt ends', () => {
  it("suppresses the call if the contact's consent expires before the retry", async () => {
    const { id, contact } = await queue(written())
    const [attempt] = await claim()
    if (attempt === undefined) throw new Error('the call was not claimed')
    const old = api.deps.db.updateTable('contact').set({ consent_at: new Date(daysAgo(31)) })
    await old.where('id', '=', contact.id).execute()
    await finishAttempt(api.deps, attempt, emptyResult('busy', 'line_busy'))
    expect(await read(id)).toMatchObject({ ...suppressed('consent_expired'), attempts: 1 })
  })
})

describe('when the rules change while calls wait', () => {
  it('suppresses the waiting calls whose contacts lack the consent that is now required', async () => {
    await requireConsent('none')
    const without = await queue()
    const withConsent = await queue(written())
    await changeRules(api.deps, api.seed, { consent_required: 'written' })
    expect(await read(without.id)).toMatchObject(suppressed('consent_missing'))
    expect(await read(withConsent.id)).toMatchObject({ status: 'queued' })
  })
})

describe('POST /campaigns/', () => {
  it('creates a campaign that requires no consent by default, and a stricter campaign if the request says so', async () => {
    const { agentId: agent_id, phoneNumberId: phone_number_id } = api.seed
    const create = async (more: object) =>
      api.send({
        method: 'POST',
        path: '/campaigns/',
        body: { name: 'New', agent_id, phone_number_id, ...more },
      })
    expect((await create({})).json()).toMatchObject({
      consent_required: 'none',
      consent_max_age_days: null,
      one_conversation_per_day: false,
    })
    const stricter = { consent_required: 'written', consent_max_age_days: 90, one_conversation_per_day: true }
    expect((await create(stricter)).json()).toMatchObject(stricter)
  })
})

describe('a program that repeats a suppressed call', () => {
  it('gets the same call for an hour, and creates no other event', async () => {
    const number = freshNumber()
    const first = await post({}, number)
    const again = await post({}, number)
    expect(again).toMatchObject({ status: 200, call_queued: false, call: { id: first.call.id } })
    expect(again.warnings).toMatchObject([{ code: 'consent_missing' }])
    expect(await listEvents(api.deps, first.call.id)).toHaveLength(1)
    api.deps.clock.advance(3_600_000)
    expect(await post({}, number)).toMatchObject({ status: 201, call_queued: true })
  })

  it('gets the same suppressed call even if it asks for an additional call while another call is open', async () => {
    const number = freshNumber()
    const tomorrow = new Date(now().getTime() + 86_400_000)
    const open = await post({ ...written(), scheduled_at: tomorrow }, number)
    await api.deps.db
      .updateTable('contact')
      .set({ consent_source: null, consent_at: null, consent_kind: null })
      .where('id', '=', open.contact.id)
      .execute()
    const more = { if_already_queued: 'queue' }
    const first = await post(more, number)
    expect(first.call).toMatchObject(suppressed('consent_missing'))
    expect(await post(more, number)).toMatchObject({ status: 200, call: { id: first.call.id } })
    expect(await post({}, number)).toMatchObject({
      status: 200,
      call: { id: open.call.id, status: 'queued' },
    })
  })

  it('gets a new call if the reason for the suppression has changed, or once the consent is sufficient', async () => {
    const number = freshNumber()
    const first = await post({}, number)
    const expired = await post(written(31), number)
    expect(expired.call).toMatchObject(suppressed('consent_expired'))
    expect(expired.call.id).not.toBe(first.call.id)
    expect((await post(written(), number)).call).toMatchObject({ status: 'queued' })
  })

  it('also gets the same call if the number is on the do-not-call list', async () => {
    const number = freshNumber()
    const first = await post({ do_not_call: true }, number)
    expect(await post({ ...written() }, number)).toMatchObject({
      status: 200,
      call_queued: false,
      call: { id: first.call.id, ended_reason: 'do_not_call' },
    })
  })
})
