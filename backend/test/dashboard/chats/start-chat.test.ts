import { describe, expect, it } from '@jest/globals'
import { addContact, toCaller } from '../../support/calls.ts'
import { seedChatter, startChat } from '../../support/chat-pages.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { freshNumber } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'
import { useModelServiceWorld } from '../../support/service-with-model.ts'

const world = useModelServiceWorld(['outdial-fake', 'outdial-fake:slow'])
const withoutModel = useServiceWorld()

describe("the agent's page", () => {
  it('fills in sample values, and starts a chat with them', async () => {
    const user = await seedChatter(world.service, { variables: ['product', 'appointment_day', 'roof_type'] })
    const page = await startChat(user)
    expect(page.url).toMatch(/\/agents\/\d+\/chats\/[\w-]{36}$/)
    expect(page.text).toContain('Hi Maya, this is Ava.')
    expect(page.text).toMatch(
      /Maya Okafor \(sample values\).*product Roof inspection.*appointment_day Tuesday.*roof_type Sample roof type/,
    )
    expect(page.text).toContain('Fake model')
    expect(page.text).toContain('Appointment day Not yet')
    const agent = await user.open(user.agentPath)
    expect(agent.text).toMatch(/Latest chats Started Member Turns End .* Robin 1 In progress/)
  })

  it('starts a chat with the contact whose phone number, email, or ID the member enters', async () => {
    const user = await seedChatter(world.service)
    const phone = freshNumber()
    const { contact } = await addContact(world.service.deps, toCaller(user.seed), {
      phone_number: phone,
      campaign_id: user.seed.campaignId,
      first_name: 'Luna',
      email: 'luna@example.com',
      variables: {},
    })
    for (const typed of [phone, 'LUNA@example.com', String(contact.id), `#${contact.id}`]) {
      const page = await startChat(user, { contact: typed })
      expect([typed, page.text.includes('Hi Luna, this is Ava.')]).toEqual([typed, true])
      expect(page.html).toContain(`/contacts/${contact.id}"`)
    }
  })

  it("says that the entered contact doesn't exist, and keeps the other entered values", async () => {
    const user = await seedChatter(world.service)
    const page = await startChat(user, { contact: 'nobody@example.com', first_name: 'Kim' })
    expect(page.status).toBe(422)
    expect(page.text).toContain('No contact has this phone number, email, or ID.')
    expect(page.html).toContain('value="Kim"')
    const { page: chat } = await user.browser.press(page, 'Start chat', { contact: '' })
    expect(chat.text).toContain('Hi Kim, this is Ava.')
  })

  it('publishes an agent even if its language model fails, and shows a warning', async () => {
    const user = await seedChatter(world.service)
    await user.browser.press(await user.open(`${user.agentPath}/edit`), 'Save', { greeting: 'Hello.' })
    const { page: published } = await user.browser.press(await user.open(user.agentPath), 'Publish changes')
    expect(published.text).toMatch(
      /Agent published\. Calls that start from now on use this version\. (?!The)/,
    )
    await user.browser.press(await user.open(`${user.agentPath}/edit`), 'Save', { greeting: 'Good day.' })
    world.fake.behaviors.push('500')
    const { page } = await user.browser.press(await user.open(user.agentPath), 'Publish changes')
    world.fake.behaviors.length = 0
    expect(page.text).toContain(
      "use this version. The language model's server rejected a request. Chats with the agent fail until the model answers.",
    )
    expect(page.text).not.toContain('Calls use version')
  })

  it('starts only one chat if “Start chat” is pressed several times', async () => {
    const user = await seedChatter(world.service)
    const page = await user.open(user.agentPath)
    const chats = await Promise.all([1, 2, 3].map(() => user.browser.press(page, 'Start chat')))
    expect(new Set(chats.map((chat) => chat.page.url)).size).toBe(1)
  })

  it("starts a chat with a draft agent, and offers the configured models in the agent's form", async () => {
    const user = await seedChatter(world.service)
    await world.database.db
      .updateTable('agent')
      .set({ status: 'draft' })
      .where('id', '=', user.agentId)
      .execute()
    expect((await startChat(user)).text).toContain('Hi Maya, this is Ava.')
    const form = await user.open(`${user.agentPath}/edit`)
    expect(form.text).toContain('Default (outdial-fake)')
    const { page } = await user.browser.press(form, 'Save', { model: 'outdial-fake:slow' })
    expect(page.text).toContain('Agent saved')
    expect((await user.open(`${user.agentPath}/edit`)).html).toContain('value="outdial-fake:slow" selected')
  })

  it("if the agent's model isn't available anymore, says which model is used instead", async () => {
    const user = await seedChatter(world.service, { model: 'old-model' })
    const sentence =
      "The agent's model old-model isn't available anymore, so its conversations use outdial-fake."
    expect((await user.open(user.agentPath)).text).toContain(sentence)
    expect((await startChat(user)).text).toContain(sentence)
    expect((await user.open(`${user.agentPath}/edit`)).text).toContain('old-model (not available)')
  })
})

describe("the agent's page without a language model", () => {
  it('shows the two lines to add to .env instead of “Start chat”', async () => {
    const user = await seedSignedInOwner(withoutModel.service)
    const page = await user.open(`/agents/${user.seed.agentId}`)
    expect(page.text).toMatch(/Add these two lines to \.env.*restart Outdial: LLM_URL=\S+ LLM_MODELS=\S+/)
    expect(page.text).not.toContain('Start chat')
    expect((await user.open(`/agents/${user.seed.agentId}/edit`)).html).not.toContain('name="model"')
  })

  it("doesn't start a chat, and says that no language model is set up", async () => {
    const user = await seedSignedInOwner(withoutModel.service)
    const form = await user.open(`/agents/${user.seed.agentId}/chats/new`)
    const { page } = await user.browser.press(form, 'Start chat')
    expect([page.status, page.text.includes('No language model is set up')]).toEqual([422, true])
  })
})
