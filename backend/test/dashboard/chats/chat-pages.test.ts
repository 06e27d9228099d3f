import { afterEach, describe, expect, it } from '@jest/globals'
import type { Page } from '../../../../support/browser.ts'
import { minuteMs } from '../../../platform/core/durations.ts'
import { subscribe } from '../../../webhooks/subscriptions.ts'
import { addContact, toCaller } from '../../support/calls.ts'
import {
  assignNoteTool,
  type Chatter,
  say,
  sayNothing,
  seedChatter,
  startChat,
} from '../../support/chat-pages.ts'
import { seedSignedInMember, seedSignedInOwner } from '../../support/dashboard.ts'
import { freshNumber, seedApiKeyCaller } from '../../support/factories.ts'
import { useModelServiceWorld } from '../../support/service-with-model.ts'

const world = useModelServiceWorld()
afterEach(() => {
  world.fake.behaviors = []
})

const chatIdOf = ({ url }: Page) => /chats\/([\w-]{36})/.exec(url)?.[1] ?? ''

describe('a turn from a browser without scripts', () => {
  it("gets the agent's answer, and the page shows what both said, the results, and the tokens used", async () => {
    const user = await seedChatter(world.service)
    const page = await say(user, await startChat(user), 'Hello & welcome')
    expect(page.url).toMatch(/#turn-2$/)
    expect(page.html).toMatch(/id="turn-2">[\s\S]*Hello &amp; welcome/)
    expect(page.text).toMatch(/Maya Hello & welcome Ava .*Do you own a house\?/)
    expect(page.text).toContain('Appointment day The contact answered the questions.')
    expect(page.text).toMatch(/Tokens [1-9][\d,]* \(input [\d,]+, output \d+\)/)
  })

  it("is accepted only once, even if it's sent several times", async () => {
    const user = await seedChatter(world.service)
    const chat = await startChat(user)
    const pages = await Promise.all([1, 2, 3].map(() => say(user, chat, 'Hello')))
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(
      (await user.open(new URL(chat.url).pathname.replace(/^\/w\/\d+/, ''))).html.match(/<p>Hello<\/p>/g),
    ).toHaveLength(1)
  })

  it('is rejected if its text is blank or longer than 2,000 characters', async () => {
    const user = await seedChatter(world.service)
    const chat = await startChat(user)
    expect((await say(user, chat, '  ')).text).toContain(
      'Write what the contact says, or choose “Say nothing”.',
    )
    const long = await say(user, chat, 'x'.repeat(2_001))
    expect([long.status, long.html.includes('id="f-text-issue"')]).toEqual([422, true])
  })

  it('shows a tool call as a dry run, with its arguments and result', async () => {
    const user = await seedChatter(world.service)
    const page = await say(user, await startChat(user), 'Goodbye')
    expect(page.html).toMatch(
      /<code>end_call<\/code>[\s\S]*Dry run[\s\S]*Arguments of end_call[\s\S]*Result of end_call/,
    )
    expect(page.text).toContain('The agent ended the chat.')
  })

  it("shows the note that a tool would have added to the contact, and doesn't add it", async () => {
    const user = await seedChatter(world.service)
    const { deps } = world.service
    await assignNoteTool(deps, user)
    const { contact } = await addContact(deps, toCaller(user.seed), {
      phone_number: freshNumber(),
      campaign_id: user.seed.campaignId,
      variables: {},
    })
    const page = await say(
      user,
      await startChat(user, { contact: `#${contact.id}` }),
      'Please write that down',
    )
    expect(page.html).toMatch(
      /<code>contact_note<\/code>\s*<span class="badge" data-tone="mute">Dry run<[\s\S]*Please write that down[\s\S]*Result sent to the agent/,
    )
    expect(await world.database.db.selectFrom('contact_note').selectAll().execute()).toEqual([])
  })

  it('if the language model fails, shows the error for the operator, and ends the chat', async () => {
    world.fake.behaviors = ['500']
    const user = await seedChatter(world.service)
    const page = await say(user, await startChat(user), 'Hello')
    expect(page.text).toMatch(/For the operator: .*HTTP status: 500/)
    expect(page.text).toContain(
      'The agent ended the chat, because of the failure that the conversation shows.',
    )
  })

  it("shows HTML in the agent's words, in a tool call, and in the contact's name as text", async () => {
    world.fake.behaviors = ['obedient']
    const user = await seedChatter(world.service)
    const mark = '<img src=x onerror=alert(1)>'
    const chat = await startChat(user, { first_name: mark, last_name: '<b>Last</b>' })
    const page = await say(
      user,
      chat,
      `say: ${mark}\ncall the tool no_such with {"${mark.replaceAll(' ', '')}": "</script>"}`,
    )
    expect(page.html).not.toMatch(/<img|<b>Last|"<\/script>/)
    expect(page.html).toContain('&lt;img')
  })
})

describe("Outdial's own sentences", () => {
  it("are in English, as a notice says, if Outdial has none in the agent's language", async () => {
    const chat = await startChat(await seedChatter(world.service, { language: 'it' }))
    expect(chat.text).toContain('Outdial has no sentences in Italian, so the agent says some in English')
    const french = await startChat(await seedChatter(world.service, { language: 'fr' }))
    expect(french.text).not.toContain('Outdial has no sentences')
  })
})

describe('silence', () => {
  it('makes the agent first ask whether the contact is still there, and then end the chat, which accepts no more turns', async () => {
    const user = await seedChatter(world.service)
    const chat = await startChat(user)
    const asked = await sayNothing(user, chat)
    expect(asked.text).toMatch(/Maya Says nothing Ava Are you still there\?/)
    const ended = await sayNothing(user, asked)
    expect(ended.text).toContain('The agent ended the chat, because the contact said nothing for 20 seconds.')
    expect(ended.text).toContain("The contact said nothing, so there's nothing to analyze.")
    expect(ended.html).not.toContain('id="chat-form"')
    const late = await say(user, asked, 'Hello?')
    expect([late.status, late.text.includes('This chat has ended.')]).toEqual([422, true])
    expect(late.html).not.toContain('Hello?</p>')
  })
})

describe('an ended chat', () => {
  it('shows the analysis when it has arrived, and the webhook event that a call would cause', async () => {
    const user = await seedChatter(world.service)
    const chat = await say(user, await startChat(user), 'Yes, on Thursday')
    const { page } = await user.browser.press(chat, 'End chat')
    expect(page.text).toContain('The member ended the chat.')
    expect(page.text).toContain('The conversation is being analyzed.')
    expect(page.html).toContain('hx-trigger="every 2s"')
    const analysis = {
      summary: 'Maya owns a house.',
      ...{ sentiment: 'positive', goal_met: true, extracted: { appointment_day: 'Thursday' } },
    }
    await world.database.db
      .updateTable('conversation')
      .set({ analysis: JSON.stringify(analysis), analysis_at: null })
      .where('id', '=', chatIdOf(chat))
      .execute()
    const { page: analyzed } = await user.browser.open(page.url)
    expect(analyzed.text).toMatch(
      /Maya owns a house\. Goal met Yes Sentiment Positive Appointment day Thursday/,
    )
    expect(analyzed.html).not.toContain('hx-trigger="every 2s"')
    const event = JSON.parse(
      /\{ "id": "evt_test_.*?\n?\} (?=No webhooks)/.exec(analyzed.text)?.[0] ?? '{}',
    ) as { data?: object }
    expect(event.data).toMatchObject({
      agent_id: user.agentId,
      agent_name: 'Ava',
      contact: { first_name: 'Maya', variables: { product: 'Roof inspection' } },
      ended_reason: 'contact_hung_up',
      summary: 'Maya owns a house.',
      extracted: { appointment_day: 'Thursday' },
      goal_met: true,
      test: true,
    })
  })

  it('shows why its analysis failed', async () => {
    const user = await seedChatter(world.service)
    const chat = await say(user, await startChat(user), 'Yes')
    await user.browser.press(chat, 'End chat')
    await world.database.db
      .updateTable('conversation')
      .set({ analysis_failure: 'No language model answered.', analysis_at: null })
      .where('id', '=', chatIdOf(chat))
      .execute()
    expect((await user.browser.open(chat.url)).page.text).toContain('Result No language model answered.')
  })

  it('lets the member start a new chat with the same sample values', async () => {
    const user = await seedChatter(world.service)
    const chat = await startChat(user, { first_name: 'Kim', 'variable.product': 'Solar panels' })
    const { page } = await user.browser.press((await user.browser.press(chat, 'End chat')).page, 'New chat')
    expect(page.text).toContain('Hi Kim, this is Ava.')
    expect(page.text).toContain('product Solar panels')
    expect(page.url).not.toBe(chat.url)
  })
})

describe('a turn that never finished', () => {
  const loseTurn = (chat: Page, saved: { parts?: null }) =>
    world.database.db
      .updateTable('conversation_turn')
      .set({ ...saved, messages: null })
      .where('conversation_id', '=', chatIdOf(chat))
      .where('number', '=', 2)
      .execute()

  it('is shown as in progress at first, and as lost after two minutes', async () => {
    const user = await seedChatter(world.service)
    const chat = await say(user, await startChat(user), 'Hello')
    await loseTurn(chat, { parts: null })
    const { page: waiting } = await user.browser.open(chat.url)
    expect(waiting.text).toContain('Ava Is answering…')
    expect(waiting.html).toContain('hx-trigger="every 2s"')
    world.service.deps.clock.advance(2 * minuteMs)
    const { page: lost } = await user.browser.open(chat.url)
    expect(lost.text).toContain(
      'This answer was lost. The server stopped, something failed, or another page or process continued the chat',
    )
  })

  it('shows the part of the answer that was saved, and says that the rest was lost', async () => {
    const user = await seedChatter(world.service)
    const chat = await say(user, await startChat(user), 'Hello')
    await loseTurn(chat, {})
    world.service.deps.clock.advance(2 * minuteMs)
    const { page } = await user.browser.open(chat.url)
    expect(page.text).toMatch(/Maya Hello Ava .+ The rest of this answer was lost\./)
  })
})

describe('a test event', () => {
  it("is queued for a webhook subscription, and contains the chat's transcript", async () => {
    const user = await seedChatter(world.service)
    const receiver = await seedReceiver(user)
    const chat = await say(user, await startChat(user), 'Thursday')
    const { page: ended } = await user.browser.press(chat, 'End chat')
    const { page } = await user.browser.press(ended, 'Send test event', { subscription_id: String(receiver) })
    expect(page.text).toContain('Test event queued.')
    const { body } = await world.database.db
      .selectFrom('event')
      .select('body')
      .where('workspace_id', '=', user.workspaceId)
      .executeTakeFirstOrThrow()
    expect(JSON.parse(body)).toMatchObject({
      type: 'call.completed',
      data: {
        test: true,
        agent_name: 'Ava',
        transcript: [{ role: 'agent' }, { role: 'contact', text: 'Thursday' }, { role: 'agent' }],
      },
    })
  })

  it("can't be sent for a chat with a saved contact, because the event would store the contact's data", async () => {
    const user = await seedChatter(world.service)
    await seedReceiver(user)
    const { contact } = await addContact(world.service.deps, toCaller(user.seed), {
      phone_number: freshNumber(),
      campaign_id: user.seed.campaignId,
      variables: {},
    })
    const { page } = await user.browser.press(
      await startChat(user, { contact: `#${contact.id}` }),
      'End chat',
    )
    expect(page.text).toContain('Only a chat with sample values can be sent')
    expect(page.html).not.toContain('Send test event')
  })
})

describe("a member who didn't start the chat", () => {
  it('can read it, but can neither continue nor end it', async () => {
    const user = await seedChatter(world.service)
    const chat = await startChat(user)
    const other = await seedSignedInMember(world.service, user.workspaceId, 'member')
    const { page } = await other.browser.open(chat.url)
    expect(page.text).toContain('Hi Maya, this is Ava.')
    expect(page.text).toContain('Robin started this chat, and only they can continue it.')
    const token = (await other.open(user.agentPath)).html
    const stolen = {
      ...chat,
      html: chat.html.replaceAll(
        /name="_csrf" value="[^"]*"/g,
        /name="_csrf" value="[^"]*"/.exec(token)?.[0] ?? '',
      ),
    }
    expect((await say(other, stolen, 'Hello')).text).toContain(
      'Only the member who started this chat can continue it.',
    )
    expect((await other.browser.press(stolen, 'End chat')).page.text).toContain(
      'Only the member who started this chat can continue it.',
    )
    expect((await user.browser.open(chat.url)).page.text).toContain('In progress')
  })

  it("can't open it from another workspace", async () => {
    const user = await seedChatter(world.service)
    const chat = await startChat(user)
    const stranger = await seedSignedInOwner(world.service)
    expect((await stranger.browser.open(chat.url)).page.status).toBe(404)
    const path = `/agents/${stranger.seed.agentId}/chats/${chatIdOf(chat)}`
    expect((await stranger.open(path)).status).toBe(404)
  })
})

/** Adds a webhook subscription and returns its ID. */
async function seedReceiver({ seed, userId }: Chatter): Promise<number> {
  const { deps } = world.service
  const key = await seedApiKeyCaller(deps, { ...seed, userId })
  const { subscription } = await subscribe(deps, key, {
    target_url: 'https://hooks.example.com/chats',
    event: 'call.completed',
  })
  return subscription.id
}
