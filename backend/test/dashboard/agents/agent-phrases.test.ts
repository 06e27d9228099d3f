import { expect, it } from '@jest/globals'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { useModelServiceWorld } from '../../support/service-with-model.ts'

const world = useModelServiceWorld()

it("saves an agent's own sentences, and doesn't publish the agent if one of them has an unknown placeholder", async () => {
  const user = await seedSignedInOwner(world.service)
  const path = `/agents/${user.seed.agentId}`
  const form = await user.open(`${path}/edit`)
  expect(form.html).toMatch(
    /name="phrases.optedOut"[^>]*placeholder="All right, we won\S{1,5}t call you again\./,
  )
  const { page: saved } = await user.browser.press(form, 'Save', {
    'phrases.optedOut': 'All right, {{first_name}}. Bye.',
    'phrases.goodbye': 'Bye, {{nickname}}.',
  })
  expect(saved.html).toContain('After an opt-out: All right, {{first_name}}. Bye.')
  expect(saved.text).toContain('Edit sentences')
  const { page: rejected } = await user.browser.press(saved, 'Publish changes')
  expect(rejected.text).toContain('The sentences have to be corrected first.')
  const { page: long } = await user.browser.press(await user.open(`${path}/edit`), 'Save', {
    'phrases.goodbye': 'x'.repeat(301),
  })
  expect(long.text).toContain('Sentences: The sentence can have at most 300 characters.')
})
