import { expect, it } from '@jest/globals'
import { emptyResult } from '../../../calling/dialer/attempt-result.ts'
import { readStories } from '../../../dashboard/stories/read-story.ts'
import { eraseContact } from '../../../privacy/erase-contact.ts'
import { createAgent, publishAgent } from '../../../queue/agents/agents.ts'
import { completeDialedCall, seedCall } from '../../support/calls.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { freshNumber, seedAgent } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

const bad = 'Hi {{first_name}}, your {{appointment}} on {{day}}'
const issue =
  "{{appointment}} and {{day}} aren't listed under Variables. Add appointment and day to Variables, or correct the names."

const setAgent = (agentId: number, values: { greeting: string; variables?: string[] }) =>
  world.database.db.updateTable('agent').set(values).where('id', '=', agentId).execute()

it("saves a Live agent with placeholders that can't be filled, but doesn't publish the changes", async () => {
  const user = await seedSignedInOwner(world.service)
  const path = `/agents/${user.seed.agentId}`
  const { page } = await user.browser.press(await user.open(`${path}/edit`), 'Save', {
    greeting: `${bad} {{first_name`,
    instructions: 'Ask {{nobody}}.',
    closing_line: 'Bye {{nobody|}}',
  })
  expect(page.text).toContain('Agent saved. Calls use this version when you publish it.')
  expect(page.text).toContain("“{{first_name” isn't a placeholder.")
  expect(page.text).toContain(`${issue} You can't publish the agent until then. Edit greeting`)
  expect((await user.open(`${path}/edit`)).text).toContain('{{first_name not a placeholder')
  const { page: rejected } = await user.browser.press(page, 'Publish changes')
  expect(rejected.text).toContain('The greeting has to be corrected first.')
  await expect(
    publishAgent(world.service.deps, user.seed.workspaceId, user.seed.agentId),
  ).rejects.toMatchObject({
    details: [{ field: 'greeting' }, { field: 'instructions' }, { field: 'closing_line' }],
  })
  const { page: saved } = await user.browser.press(await user.open(`${path}/edit`), 'Save', {
    greeting: bad,
    instructions: '',
    closing_line: '',
    variables: 'appointment, day',
  })
  expect((await user.browser.press(saved, 'Publish changes')).page.text).toContain('Agent published.')
})

it("saves a paused agent with placeholders that can't be filled, and resumes it with the published version", async () => {
  const user = await seedSignedInOwner(world.service)
  const { workspaceId } = user.seed
  const agentId = await seedAgent(world.service.deps, workspaceId, { name: 'Pia', status: 'paused' })
  const { page } = await user.browser.press(await user.open(`/agents/${agentId}/edit`), 'Save', {
    greeting: bad,
  })
  expect(page.text).toContain('Agent saved.')
  expect(page.text).toContain(`${issue} You can't publish the agent until then.`)
  const { page: rejected } = await user.browser.press(page, 'Publish changes')
  expect(rejected.text).toContain(`The greeting has to be corrected first. ${issue}`)
  const { page: resumed } = await user.browser.press(page, 'Resume')
  expect(resumed.text).toContain('Agent resumed.')
  expect(resumed.text).toContain("Changes that calls don't use yet")
})

it("if an agent's placeholders can't be filled, creates the agent as a draft, but not as Live", async () => {
  const { seed } = await seedSignedInOwner(world.service)
  const create = (status: 'draft' | 'live') =>
    createAgent(world.service.deps, seed.workspaceId, { name: 'Dea', greeting: bad, variables: [], status })
  await expect(create('live')).rejects.toThrow(issue)
  expect(await create('draft')).toMatchObject({ status: 'draft' })
})

it("shows a notice about Live agents with placeholders that can't be filled, and leaves the agents Live", async () => {
  const user = await seedSignedInOwner(world.service)
  const { agentId, workspaceId } = user.seed
  await seedCall(world.service.deps, user.seed, freshNumber())
  expect((await user.open('')).text).not.toContain('greeting')
  await setAgent(agentId, { greeting: bad, variables: [] })
  const overview = await user.open('')
  expect(overview.text).toContain(`The greeting of agent “Ava” has to be corrected. ${issue} Open agent`)
  expect(overview.html).toContain(`/agents/${agentId}"`)
  const page = await user.open(`/agents/${agentId}`)
  expect(page.text).toContain(issue)
  expect(page.text).toContain('Live')

  const otherId = await seedAgent(world.service.deps, workspaceId, { name: 'Bea' })
  await setAgent(otherId, { greeting: 'Hi {name}' })
  expect((await user.open('')).text).toContain(
    "The greetings of 2 agents have placeholders that can't be filled: “Ava” and “Bea”. Open agents",
  )
})

it('the page and the story of an answered call say which values the greeting lacked', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  await setAgent(user.seed.agentId, {
    greeting: `${bad} {{zip|x}}`,
    variables: ['appointment', 'day', 'zip'],
  })
  const answered = await seedCall(deps, user.seed, freshNumber(), { first_name: 'Maya' })
  const unanswered = await seedCall(deps, user.seed, freshNumber(), { first_name: 'Maya' })
  const sentence = 'The greeting had no value for appointment and day.'
  expect((await user.open(`/calls/${answered.id}`)).text).not.toContain(sentence)
  await completeDialedCall(deps, user.seed, unanswered.id, emptyResult('no_answer', 'ring_timeout'))
  await completeDialedCall(deps, user.seed, answered.id, {
    ...emptyResult('answered', 'agent_hung_up'),
    answeredAt: deps.clock.now(),
  })
  const { html } = await user.open(`/calls/${answered.id}`)
  expect(html.split(sentence)).toHaveLength(2)
  expect(html).toContain(`<p class="notice" data-tone="warn">${sentence}</p>`)
  expect((await user.open(`/calls/${unanswered.id}`)).text).not.toContain(sentence)
  const [story] = await readStories(deps, { callId: answered.id })
  expect(story?.sentences).toContain(sentence)

  await eraseContact(deps, user.seed.workspaceId, answered.contact.id)
  expect((await user.open(`/calls/${answered.id}`)).text).not.toContain('The greeting had')
})

it('when a member queues a call, says which values the greeting lacks', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  await setAgent(user.seed.agentId, { greeting: 'Your {{appointment}}', variables: ['appointment'] })
  const fields = { campaign_id: String(user.seed.campaignId) }
  const sentence = 'The greeting has no value for appointment.'
  const { page: added } = await user.browser.press(await user.open('/contacts/new'), 'Add contact', {
    ...fields,
    phone_number: freshNumber(),
  })
  expect(added.text).toContain('Contact added. Call queued.')
  expect(added.text).toContain(sentence)
  const { page: complete } = await user.browser.press(await user.open('/contacts/new'), 'Add contact', {
    ...fields,
    phone_number: freshNumber(),
    variables: 'appointment = inspection',
  })
  expect(complete.text).toContain('Call queued.')
  expect(complete.text).not.toContain('has no value')

  const call = await seedCall(deps, user.seed, freshNumber())
  await completeDialedCall(deps, user.seed, call.id, emptyResult('no_answer', 'ring_timeout'))
  const { page: again } = await user.browser.press(await user.open(`/calls/${call.id}`), 'Call again')
  expect(again.text).toContain('Call queued.')
  expect(again.text).toContain(sentence)
  const contact = await seedCall(deps, user.seed, freshNumber())
  await completeDialedCall(deps, user.seed, contact.id, emptyResult('no_answer', 'ring_timeout'))
  const { page: now } = await user.browser.press(
    await user.open(`/contacts/${contact.contact.id}/call`),
    'Call now',
    fields,
  )
  expect(now.text).toContain(sentence)
})
