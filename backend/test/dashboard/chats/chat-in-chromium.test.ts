import { afterEach, expect } from '@jest/globals'
import type { Page as Tab } from 'playwright-core'
import { secondMs } from '../../../platform/core/durations.ts'
import { assignNoteTool, seedChatter } from '../../support/chat-pages.ts'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, openTab } from '../../support/dashboard.ts'
import { useModelServiceWorld } from '../../support/service-with-model.ts'

const world = useModelServiceWorld()
afterEach(() => {
  world.fake.behaviors = []
})

/** Starts a chat on the agent's page. */
async function openChat(chromium: Parameters<typeof openTab>[1]) {
  const user = await seedChatter(world.service)
  const tab = await openTab(world.service, chromium, user)
  await tab.goto(user.urlFor(user.agentPath))
  await tab.getByRole('button', { name: 'Start chat' }).click()
  await tab.waitForURL(/\/chats\//)
  return { user, tab, field: tab.getByLabel('What the contact says'), log: tab.getByRole('log') }
}

const isFocused = (tab: Tab, id: string) => tab.locator(`#${id}:focus`).waitFor()

itInChromium(
  "shows the agent's words as they arrive, and lets the member interrupt the agent",
  async (chromium) => {
    world.fake.behaviors = ['stalled']
    const { tab, field, log } = await openChat(chromium)
    await field.fill('Hello')
    await field.press('Enter')
    await tab.locator('#chat-speaking').getByText('I see. Do').waitFor()
    // Screen readers announce what's added to the log, so only whole turns are added, not words.
    expect(await log.getByText('I see. Do').count()).toBe(0)
    expect(await field.inputValue()).toBe('')

    world.fake.behaviors = []
    await field.fill('Wait')
    await field.press('Shift+Enter')
    expect(await field.inputValue()).toBe('Wait\n')
    await field.press('Enter')
    await log.getByText('Do you own a house?').or(log.getByText('Which day suits you?')).first().waitFor()
    await log.getByText('Wait').waitFor()
    expect(await log.getByText('I see. Do', { exact: true }).count()).toBe(1)
    await log.getByText('Interrupted').waitFor()
    expect(await tab.getByText('Enter sends.').isVisible()).toBe(true)
    await isFocused(tab, 'f-text')
    await tab.locator('#chat-side').getByText('The contact answered the questions.').waitFor()
    expect(await tab.locator('#chat-status').textContent()).toContain('The contact answered the questions.')
    await expectAccessible(tab)
    await tab.close()
  },
)

itInChromium(
  'when the chat ends, says so without a page load, and moves the focus to that message',
  async (chromium) => {
    const { tab, field, log } = await openChat(chromium)
    await tab.evaluate('window.isSamePage = true')
    await field.fill('Goodbye')
    await tab.getByRole('button', { name: 'Send' }).click()
    await isFocused(tab, 'chat-end')
    expect(await tab.evaluate('window.isSamePage')).toBe(true)
    await log.getByText('end_call').waitFor()
    await tab.getByText('The conversation is being analyzed.').waitFor()
    expect(await field.count()).toBe(0)
    await expectAccessible(tab)
    await tab.setViewportSize({ width: 390, height: 844 })
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await tab.close()
  },
)

itInChromium(
  "if the member has opened a tool call's details, keeps them open when the result arrives",
  async (chromium) => {
    const { user, tab, field, log } = await openChat(chromium)
    await assignNoteTool(world.service.deps, user)
    // Opens the tool's details as soon as it starts, before the result replaces them.
    await tab.evaluate(`new MutationObserver((_, observer) => {
    const details = document.querySelector('#chat-speaking details')
    if (!details) return
    details.open = true
    observer.disconnect()
  }).observe(document.querySelector('#chat-speaking'), { childList: true, subtree: true })`)
    await field.fill('Please write that down')
    await field.press('Enter')
    await log.locator('details[open]').getByText('Result sent to the agent').waitFor()
    await tab.close()
  },
)

itInChromium(
  'when the member sends a blank turn, shows the issue on the page, and moves the focus to the field',
  async (chromium) => {
    const { tab, field } = await openChat(chromium)
    await field.fill('   ')
    await field.press('Enter')
    await tab.getByText('Write what the contact says, or choose “Say nothing”.').first().waitFor()
    await isFocused(tab, 'f-text')
    await tab.getByRole('button', { name: 'Say nothing' }).click()
    await tab.getByRole('log').getByText('Are you still there?').waitFor()
    await tab.close()
  },
)

itInChromium('shows an alert if the chat is deleted while the agent speaks', async (chromium) => {
  world.fake.behaviors = ['stalled']
  const { user, tab, field } = await openChat(chromium)
  await field.fill('Hello')
  await field.press('Enter')
  await tab.locator('#chat-speaking').getByText('I see. Do').waitFor()
  await world.database.db.deleteFrom('conversation').where('workspace_id', '=', user.workspaceId).execute()
  world.service.deps.clock.advance(secondMs)
  await tab.getByRole('alert').getByText('This chat has been deleted.').waitFor()
  await tab.close()
})

itInChromium(
  'lets the member press “Say nothing” and end the chat with only the keyboard',
  async (chromium) => {
    const { tab, log } = await openChat(chromium)
    await tab.getByLabel('What the contact says').focus()
    await tab.keyboard.type('Hello')
    await tab.keyboard.press('Tab')
    await tab.keyboard.press('Tab')
    await tab.keyboard.press('Enter')
    await log.getByText('Are you still there?').waitFor()
    await tab.keyboard.press('Tab')
    await tab.keyboard.press('Tab')
    await tab.keyboard.press('Tab')
    await tab.keyboard.press('Enter')
    await tab.getByText('The member ended the chat.').waitFor()
    await tab.close()
  },
)
