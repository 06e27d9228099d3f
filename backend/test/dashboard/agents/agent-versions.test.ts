import { expect, it } from '@jest/globals'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

it('shows unpublished changes, who saved them, and which results will be missing from calls, and restores an older version', async () => {
  const user = await seedSignedInOwner(world.service)
  const path = `/agents/${user.seed.agentId}`
  const { page: first } = await user.browser.press(await user.open(`${path}/edit`), 'Save', {
    instructions: 'Ask for a day. Offer weekdays.',
    'result.1.name': 'Preferred day',
    'result.1.type': 'choice',
    'result.1.choices': 'Monday, Friday, Monday',
    'result.2.name': 'People',
    'result.2.type': 'number',
  })
  expect(first.text).toContain("Changes that calls don't use yet")
  expect(first.html).toContain('<ins>Ask for a day. Offer weekdays.</ins>')
  expect(first.text).toContain('preferred_day (Choice: Monday, Friday)')
  const { page: published } = await user.browser.press(first, 'Publish changes')
  expect(published.text).toContain('Agent published. Calls that start from now on use this version.')
  expect(published.text).not.toContain("Changes that calls don't use yet")

  const { page: second } = await user.browser.press(await user.open(`${path}/edit`), 'Save', {
    instructions: 'Ask for a day. Offer Sundays.',
    'result.1.name': 'Day',
  })
  expect(second.html).toContain('<del>weekdays</del><ins>Sundays</ins>')
  expect(second.text).toContain('Calls will no longer have preferred_day as before.')
  expect(second.text).toContain("No webhook or Zap receives this agent's calls yet.")
  const versions = await user.open(`${path}/versions`)
  expect(versions.text).toMatch(/Version 3 Saved .* by Robin\. Changes since version 2/)
  expect(versions.text).toMatch(/Version 2 Published .* by Robin Version 1 .* by a command/)
  const oldest = await user.open(`${path}/versions?number=1`)
  expect(oldest.text).toContain('This is the first version.')
  const { page: restored } = await user.browser.press(
    await user.open(`${path}/versions?number=2`),
    'Restore version 2',
  )
  expect(restored.text).toContain('Version 2 restored. Calls use it when you publish it.')
  expect(restored.html).not.toContain('<del>')
  expect((await user.open(`${path}/edit`)).html).toContain('Offer weekdays.')
  expect((await user.open(`${path}/versions`)).text).toContain('Changes since version 3')
})

it("doesn't create a version when a save changes nothing", async () => {
  const user = await seedSignedInOwner(world.service)
  const path = `/agents/${user.seed.agentId}`
  const { page } = await user.browser.press(await user.open(`${path}/edit`), 'Save')
  expect(page.text).toContain('Agent saved.')
  expect((await user.open(`${path}/versions`)).text).not.toContain('Version 2')
})

it("returns 404 for versions of another workspace's agent, and for version numbers that don't exist", async () => {
  const mine = await seedSignedInOwner(world.service)
  const theirs = await seedSignedInOwner(world.service)
  expect((await mine.open(`/agents/${theirs.seed.agentId}/versions`)).status).toBe(404)
  expect((await mine.open(`/agents/${mine.seed.agentId}/versions?number=7`)).status).toBe(404)
  expect((await mine.open(`/agents/${mine.seed.agentId}/versions?number=x`)).status).toBe(200)
})

it('if someone else saved a newer version meanwhile, shows what saving would change in that version', async () => {
  const user = await seedSignedInOwner(world.service)
  const path = `/agents/${user.seed.agentId}/edit`
  const [mine, theirs] = [await user.open(path), await user.open(path)]
  await user.browser.press(theirs, 'Save', { instructions: 'Offer Mondays.', goal: 'A day is agreed.' })
  const { page } = await user.browser.press(mine, 'Save', { instructions: 'Offer Fridays.' })
  expect([page.status, page.text]).toEqual([422, expect.stringContaining('Someone else changed this')])
  const [, changes = ''] = /<dl class="long-texts">([\s\S]*?)<\/dl>/.exec(page.html) ?? []
  expect(changes).toMatch(/Instructions[\s\S]*<del>Mondays<\/del><ins>Fridays<\/ins>/)
  expect(changes).toMatch(/Goal[\s\S]*<del>A day is agreed\.<\/del>/)
  expect(changes).not.toContain('Greeting')
})

it("doesn't publish a version that was saved after the page was opened", async () => {
  const user = await seedSignedInOwner(world.service)
  const path = `/agents/${user.seed.agentId}`
  const save = async (instructions: string) =>
    (await user.browser.press(await user.open(`${path}/edit`), 'Save', { instructions })).page
  const seen = await save('Offer Mondays.')
  const newer = await save('Offer Fridays.')
  const { page: rejected } = await user.browser.press(seen, 'Publish changes')
  expect(rejected.text).toContain('Version 3 was saved after you opened the page, so nothing was published.')
  const { page: published } = await user.browser.press(newer, 'Publish changes')
  expect(published.text).toContain('Agent published.')
})

it("if a placeholder isn't listed under Variables, publishes the agent only if the placeholder has a fallback", async () => {
  const user = await seedSignedInOwner(world.service)
  const path = `/agents/${user.seed.agentId}`
  const save = async (instructions: string, about: string) =>
    (
      await user.browser.press(await user.open(`${path}/edit`), 'Save', {
        ...{ instructions, 'result.1.name': 'Day', 'result.1.about': about },
      })
    ).page
  const { page: rejected } = await user.browser.press(
    await save('Say hi.', 'For {{size}}'),
    'Publish changes',
  )
  expect(rejected.text).toContain('The results have to be corrected first. {{size}} is')
  const page = await save('They asked about {{product|our offer}}.', 'For {{size|their group}}')
  expect((await user.browser.press(page, 'Publish changes')).page.text).toContain('Agent published.')
})
