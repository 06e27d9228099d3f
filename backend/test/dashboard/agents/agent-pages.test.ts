// cspell:ignore geht größe
import { describe, expect, it } from '@jest/globals'
import { assignTool } from '../../../tools/assignments.ts'
import { addDocument } from '../../../tools/knowledge/documents.ts'
import { createSpreadsheet } from '../../../tools/spreadsheets/spreadsheets.ts'
import { setToolActive } from '../../../tools/tool-catalog.ts'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, openTab, seedSignedInOwner } from '../../support/dashboard.ts'
import { seedAgent } from '../../support/factories.ts'
import { useToolServiceWorld } from '../../support/service-with-tools.ts'
import { getToolId } from '../../support/tools.ts'

const world = useToolServiceWorld()

const getAgent = (name: string) =>
  world.database.db.selectFrom('agent').selectAll().where('name', '=', name).executeTakeFirstOrThrow()

const getConfig = (agentId: number) =>
  world.database.db.selectFrom('widget_tool').selectAll().where('agent_id', '=', agentId).execute()

type Seeded = Awaited<ReturnType<typeof seedSignedInOwner>>

/** Assigns a tool to the user's agent and returns the path of the tool's page for that agent. */
async function assignToolTo(user: Seeded, name: string, config: object = {}): Promise<string> {
  const { workspaceId, agentId } = user.seed
  const id = await getToolId(world.service, user, name)
  await assignTool(world.service.deps, workspaceId, agentId, id, config)
  return `/agents/${agentId}/tools/${id}`
}

describe('agents', () => {
  it('can be created as drafts, published, paused, and resumed', async () => {
    const user = await seedSignedInOwner(world.service)
    const { page } = await user.browser.press(await user.open('/agents/new'), 'Create draft', {
      name: '<b>Dora</b>',
      greeting: 'Hallo {{first_name}}, es geht um {{roof_type}}.',
      instructions: 'Ask about {{company}}.',
    })
    expect(page.html).toContain('&lt;b&gt;Dora')
    const agent = await getAgent('<b>Dora</b>')
    expect(agent).toMatchObject({
      status: 'draft',
      language: 'en-US',
      variables: ['roof_type', 'company'],
    })
    expect(page.html).toContain(agent.widget_id)
    const { page: broken } = await user.browser.press(await user.open(`/agents/${agent.id}/edit`), 'Save', {
      language: 'de-AT',
      greeting: 'Hallo {{first_name}}, es geht um {{roof_type}} und {{nothing}}.',
      variables: 'roof_type, company roof_type',
    })
    expect(broken.text).toContain('German (Austria)')
    expect(await getAgent('<b>Dora</b>')).toMatchObject({ variables: ['roof_type', 'company'] })

    const issue = "{{nothing}} isn't listed under Variables. Add nothing to Variables, or correct the name."
    expect(broken.text).toContain(`${issue} You can't publish the agent until then.`)
    const { page: rejected } = await user.browser.press(broken, 'Publish')
    expect(rejected.text).toContain(`The greeting has to be corrected first. ${issue}`)
    expect((await getAgent('<b>Dora</b>')).status).toBe('draft')
    const draft = await user.open(`/agents/${agent.id}/edit`)
    expect(draft.text).toContain("{{roof_type}} the contact's value for this variable")
    expect(draft.text).toContain('{{nothing}} not listed under Variables')
    const greeting = 'Hallo {{first_name|du}}, es geht um {{roof_type}}.'
    const { page: corrected } = await user.browser.press(draft, 'Save', { greeting })

    const { page: live } = await user.browser.press(corrected, 'Publish')
    expect(live.text).toContain('Agent published')
    const { page: paused } = await user.browser.press(live, 'Pause')
    expect(paused.text).toContain('Queued calls wait until you resume the agent')
    const { page: resumed } = await user.browser.press(paused, 'Resume')
    expect(resumed.text).toContain('Agent resumed')
    expect((await getAgent('<b>Dora</b>')).status).toBe('live')

    const edit = await user.open(`/agents/${agent.id}/edit`)
    expect(edit.text).toContain("{{first_name}} the contact's first name, or else “du”")
    const { page: saved } = await user.browser.press(edit, 'Save', { name: 'Doris', greeting: '' })
    expect(saved.text).toContain('Agent saved. Calls use this version when you publish it.')
    const { page: edited } = await user.browser.press(saved, 'Publish changes')
    expect(edited.text).toContain('Doris')
    expect(await getAgent('Doris')).toMatchObject({ greeting: '', language: 'de-AT', status: 'live' })
  })

  it('have a form that shows each issue next to its field and keeps the entered values', async () => {
    const user = await seedSignedInOwner(world.service)
    const { page: unnamed } = await user.browser.press(await user.open('/agents/new'), 'Create draft', {
      greeting: 'Hi {{roof_type}}',
    })
    expect(unnamed.status).toBe(422)
    expect(unnamed.html).toContain('id="f-name-issue">Enter a name.')
    expect(unnamed.text).toContain("{{roof_type}} the contact's value for this variable")
    const form = await user.open(`/agents/${user.seed.agentId}/edit`)
    const { page } = await user.browser.press(form, 'Save', {
      name: '',
      greeting: 'Hi {{first_name}}',
      variables: 'größe',
      max_minutes: '26',
      'result.1.name': '2 days',
      'result.2.name': 'Day',
      'result.2.type': 'choice',
      'result.2.choices': 'Monday',
    })
    expect(page.status).toBe(422)
    expect(page.text).toContain('Enter whole minutes from 1 to 25.')
    expect(page.text).toContain("“2_days” isn't a name for a result.")
    expect(page.html).toContain('value="2 days"')
    expect(page.html).toContain('id="f-name-issue">Enter a name.')
    expect(page.html).toMatch(/id="f-variables-issue">“größe” isn&#39;t a valid/)
    expect(page.html).toContain('value="größe"')
    expect(page.text).toContain("{{first_name}} the contact's first name")
    const { page: again } = await user.browser.press(page, 'Save', { 'result.1.name': '' })
    expect(again.text).toContain('Enter at least two choices for day.')
  })

  it('are listed with the number of their tools and campaigns', async () => {
    const user = await seedSignedInOwner(world.service)
    await assignToolTo(user, 'contact_note')
    const list = await user.open('/agents')
    expect(list.text).toMatch(/Ava Variables: product Live English \(United States\) 1 1/)
    const page = await user.open(`/agents/${user.seed.agentId}`)
    expect(page.text).toContain('Leads')
  })

  it("aren't accessible from another workspace", async () => {
    const mine = await seedSignedInOwner(world.service)
    const theirs = await seedSignedInOwner(world.service)
    const foreign = theirs.seed.agentId
    const tool = await getToolId(world.service, mine, 'knowledge_search')
    const theirTool = await getToolId(world.service, theirs, 'knowledge_search')
    const paths = [
      `/agents/${foreign}`,
      `/agents/${foreign}/edit`,
      `/agents/${foreign}/tools/${tool}`,
      `/agents/${mine.seed.agentId}/tools/${theirTool}`,
      `/agents/${mine.seed.agentId}/tools/${theirTool}/try`,
      `/agents/${mine.seed.agentId}/tools/x`,
    ]
    for (const path of paths) expect((await mine.open(path)).status).toBe(404)

    const page = await mine.open(`/agents/${mine.seed.agentId}`)
    const forged = {
      ...page,
      html: page.html.replaceAll(`/tools/${tool}/assign`, `/tools/${theirTool}/assign`),
    }
    expect((await mine.browser.press(forged, 'Assign')).page.status).toBe(404)
    expect(await getConfig(mine.seed.agentId)).toEqual([])
  })
})

describe("an agent's tools", () => {
  it('can be assigned, configured with a form generated from their schema, and removed', async () => {
    const user = await seedSignedInOwner(world.service)
    const { workspaceId, agentId } = user.seed
    const { id: leads } = await createSpreadsheet(world.service.deps, workspaceId, {
      name: 'Leads',
      columns: ['Name'],
    })
    const append = await getToolId(world.service, user, 'spreadsheet_append')

    const form = await user.open(`/agents/${agentId}/tools/${append}`)
    const { page: rejected } = await user.browser.press(form, 'Assign tool')
    expect(rejected.html).toContain('id="f-config-spreadsheet_id-issue">Choose the spreadsheet')
    const { page: noGoogle } = await user.browser.press(form, 'Assign tool', {
      'config.spreadsheet_id': 'google:another',
      google_id: 'https://docs.google.com/spreadsheets/d/abc_123/edit#gid=0',
    })
    expect(noGoogle.html).toMatch(/id="f-google_id-issue">[^<]*no Google service account/)
    expect(noGoogle.html).toContain('value="google:another" selected')

    const { page: assigned } = await user.browser.press(form, 'Assign tool', {
      'config.spreadsheet_id': leads,
    })
    expect(assigned.text).toContain('spreadsheet_append saved')
    expect(await getConfig(agentId)).toMatchObject([
      { config: { spreadsheet_id: leads, provider: 'database' } },
    ])
    const again = await user.open(`/agents/${agentId}/tools/${append}`)
    expect(again.html).toContain(`value="${leads}" selected`)

    const { page: without } = await user.browser.press(assigned, 'Remove tool')
    expect(without.text).toContain('Tool removed')
    expect(await getConfig(agentId)).toEqual([])
  })

  it('can be assigned with one click if they have no settings', async () => {
    const user = await seedSignedInOwner(world.service)
    const { page } = await user.browser.press(await user.open(`/agents/${user.seed.agentId}`), 'Assign')
    expect(page.text).toContain('Tool assigned')
    expect(await getConfig(user.seed.agentId)).toHaveLength(1)
  })
})

describe('trying a tool', () => {
  it('runs the tool through the tool server and shows the result the agent would get', async () => {
    const user = await seedSignedInOwner(world.service)
    const { workspaceId } = user.seed
    await addDocument(world.service.deps, workspaceId, {
      title: 'Prices',
      body: 'A slate <roof> costs 900 dollars.',
    })
    const path = await assignToolTo(user, 'knowledge_search')
    const form = await user.open(`${path}/try`)
    const { page } = await user.browser.press(form, 'Run tool', { 'args.query': 'slate' })
    expect(page.text).toMatch(/Result for the agent Success [\d,]+ ms/)
    expect(page.html).toContain('&lt;roof&gt; costs 900 dollars')
    expect(page.html).toContain('value="slate"')

    const { page: rejected } = await user.browser.press(page, 'Run tool', { 'args.query': '' })
    expect(rejected.text).toContain('Error')
    expect(rejected.text).toContain('query is required')
  })

  it('offers one field for each argument, even if the argument can be null', async () => {
    const user = await seedSignedInOwner(world.service)
    const form = await user.open(`${await assignToolTo(user, 'contact_update')}/try`)
    expect(form.html).toMatch(/<input[^>]*name="args.first_name"/)
    expect(form.html).toMatch(/<textarea[^>]*name="args.variables"/)
  })

  it('warns that a tool with side effects runs for real, and runs it once even if the form is submitted again', async () => {
    const user = await seedSignedInOwner(world.service)
    const { workspaceId } = user.seed
    const { id } = await createSpreadsheet(world.service.deps, workspaceId, {
      name: 'Leads',
      columns: ['Name'],
    })
    const path = await assignToolTo(user, 'spreadsheet_append', { spreadsheet_id: id })
    const form = await user.open(`${path}/try`)
    expect(form.text).toContain('The tool runs for real')
    const { page: wrong } = await user.browser.press(form, 'Run tool for real', {
      'args.values': '{Name: Ann}',
    })
    expect(wrong.status).toBe(422)
    expect(wrong.html).toMatch(/id="f-args-values-issue">Invalid JSON/)
    const { page } = await user.browser.press(wrong, 'Run tool for real', {
      'args.values': '{"Name": "Ann"}',
    })
    expect(page.text).toContain('Row added')
    const { page: resubmitted } = await user.browser.press(wrong, 'Run tool for real', {
      'args.values': '{"Name": "Ann"}',
    })
    expect(resubmitted.text).toContain('already submitted')
    const rows = await world.database.db.selectFrom('spreadsheet_row').select('cells').execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).toContain('Ann')
  })

  it("isn't offered until the agent can use the tool, and the page says why", async () => {
    const user = await seedSignedInOwner(world.service)
    const { workspaceId } = user.seed
    const draft = await seedAgent(world.service.deps, workspaceId, { name: 'Cleo', status: 'draft' })
    const note = await getToolId(world.service, user, 'contact_note')
    await assignTool(world.service.deps, workspaceId, draft, note, {})
    const page = await user.open(`/agents/${draft}/tools/${note}/try`)
    expect(page.text).toContain(
      'Cleo is a draft, and only Live agents can use tools. Publish the agent to try this tool.',
    )
    expect(page.text).not.toContain('Run tool')

    const path = await assignToolTo(user, 'contact_note')
    const form = await user.open(`${path}/try`)
    await setToolActive(world.service.deps, workspaceId, note, false)
    const { page: off } = await user.browser.press(form, 'Run tool for real', { 'args.text': 'hello' })
    expect(off.status).toBe(422)
    expect(off.text).toContain('This tool is turned off')
  })

  it("returns 404 for a tool that isn't assigned to the agent", async () => {
    const user = await seedSignedInOwner(world.service)
    const note = await getToolId(world.service, user, 'contact_note')
    expect((await user.open(`/agents/${user.seed.agentId}/tools/${note}/try`)).status).toBe(404)
  })
})

itInChromium(
  'in the browser, a user can create an agent, assign a tool, and try the tool, and the pages are accessible',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const { workspaceId } = user.seed
    await addDocument(world.service.deps, workspaceId, {
      title: 'Prices',
      body: 'A slate roof costs 900 dollars.',
    })
    const tab = await openTab(world.service, chromium, user)
    const consoleErrors: string[] = []
    tab.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
    await tab.goto(user.urlFor('/agents'))
    await expectAccessible(tab)
    await tab.getByRole('link', { name: 'New agent' }).click()
    await tab.getByLabel('Name', { exact: true }).fill('Nora')
    await tab.getByLabel('Greeting').pressSequentially('Hi {{first_name}}, about {{roof_type}}')
    await tab.getByText("the contact's value for this variable").waitFor()
    await expectAccessible(tab)
    await tab.getByRole('button', { name: 'Create draft' }).click()
    await tab.getByRole('link', { name: 'Edit', exact: true }).click()
    await tab.getByLabel('Variables').fill('')
    await tab.getByText('not listed under Variables').waitFor()
    await tab.getByLabel('Variables').pressSequentially('roof_type')
    await tab.getByText("the contact's value for this variable").waitFor()
    await expectAccessible(tab)
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('button', { name: 'Publish' }).click()
    await tab.getByRole('button', { name: 'Assign knowledge_search' }).click()
    await expectAccessible(tab)

    const address = tab.url()
    await tab.getByRole('link', { name: 'Try knowledge_search' }).click()
    await tab.getByLabel('query').fill('slate')
    await tab.getByRole('button', { name: 'Run tool' }).click()
    await tab.getByText('costs 900 dollars').waitFor()
    await expectAccessible(tab)
    await tab.getByLabel('query').fill('')
    await tab.getByRole('button', { name: 'Run tool' }).click()
    await tab.getByText('query is required').waitFor()
    await tab.getByLabel('query').fill('copper')
    await tab.route('**/try?*', (route) => route.fulfill({ status: 503, body: 'Away' }), { times: 1 })
    await tab.getByRole('button', { name: 'Run tool' }).click()
    await tab.getByText('Something went wrong.').waitFor()
    expect(await tab.getByLabel('query').inputValue()).toBe('copper')
    expect(tab.url()).toBe(address)

    await tab.goto(
      user.urlFor(
        `/agents/${user.seed.agentId}/tools/${await getToolId(world.service, user, 'spreadsheet_append')}`,
      ),
    )
    await tab.getByRole('button', { name: 'Assign tool' }).click()
    await tab.locator('.issue', { hasText: 'Choose the spreadsheet' }).waitFor()
    await expectAccessible(tab)
    expect(consoleErrors.filter((text) => !/422|503/.test(text))).toEqual([])
  },
)
