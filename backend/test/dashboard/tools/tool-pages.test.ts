// cspell:ignore Couldn
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { assignTool, listAssignments } from '../../../tools/assignments.ts'
import { getTool } from '../../../tools/tool-catalog.ts'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, openTab, seedSignedInOwner } from '../../support/dashboard.ts'
import { HttpReceiver } from '../../support/http-receiver.ts'
import { RemoteMcpServer, textResult } from '../../support/remote-mcp-server.ts'
import { useToolServiceWorld } from '../../support/service-with-tools.ts'
import { getToolId } from '../../support/tools.ts'

let receiver: HttpReceiver
let remote: RemoteMcpServer
afterAll(async () => {
  await receiver.close()
  await remote.stop()
})
const world = useToolServiceWorld()
beforeAll(async () => {
  receiver = new HttpReceiver()
  await receiver.listen()
  receiver.respond = ({ path }, response) => response.end(`weather of ${path}`)
  remote = new RemoteMcpServer('streamable')
  const inputSchema = { type: 'object' as const, properties: { name: { type: 'string' } } }
  remote.tools = [
    { name: 'find', description: 'Finds <people>.', inputSchema, annotations: { readOnlyHint: true } },
    { name: 'remove', inputSchema },
    { name: 'bad name', inputSchema },
  ]
  remote.behaviors = { find: ({ name }) => textResult(`found ${String(name)}`) }
  await remote.start()
})

type Seeded = Awaited<ReturnType<typeof seedSignedInOwner>>

const weather = () => ({
  name: 'weather',
  description: 'The weather of a city.',
  method: 'GET',
  url: `${receiver.url('/{city}')}?key={{secret.KEY}}`,
  headers: 'X-Team: sales\nAuthorization: Bearer {{secret.TOKEN}}',
  'param.1.name': 'city',
  'param.1.about': 'The city',
  'param.1.required': 'true',
  'param.2.name': 'days',
  'param.2.type': 'integer',
  key_name_1: 'KEY',
  key_secret_1: 'key-of-the-service',
  key_name_2: 'TOKEN',
  key_secret_2: 'token-of-the-service',
})

async function addWeather(user: Seeded) {
  const form = await user.open('/tools/new-http')
  return user.browser.press(form, 'Add tool', weather())
}

const getToolDetails = async (user: Seeded, name: string) =>
  getTool(world.service.deps, user.seed.workspaceId, await getToolId(world.service, user, name))

describe('tools', () => {
  it('are listed with their type and agents, and can be turned off and on', async () => {
    const user = await seedSignedInOwner(world.service)
    const { workspaceId, agentId } = user.seed
    const note = await getToolId(world.service, user, 'knowledge_search')
    await assignTool(world.service.deps, workspaceId, agentId, note, {})
    const list = await user.open('/tools')
    expect(list.text).toMatch(/knowledge_search On Built-in .*? Ava/)
    const { page: off } = await user.browser.press(list, 'Turn off')
    expect(off.text).toContain('This tool is turned off')
    expect((await getToolDetails(user, 'knowledge_search')).isActive).toBe(false)
    const { page: on } = await user.browser.press(off, 'Turn on')
    expect(on.text).toContain('Tool turned on')
  })

  it('let an agent look up contacts other than the one on the phone only if a user allows that in a form with a warning', async () => {
    const user = await seedSignedInOwner(world.service)
    const { workspaceId, agentId } = user.seed
    const toolId = await getToolId(world.service, user, 'contact_lookup')
    const readConfig = async () => {
      const [assignment] = await listAssignments(world.service.deps, workspaceId, agentId)
      return assignment?.config
    }
    const form = await user.open(`/agents/${agentId}/tools/${toolId}`)
    expect(form.text).toContain('the person on the phone can get the agent to read out')
    await user.browser.press(form, 'Assign tool')
    expect(await readConfig()).toEqual({ any_contact: false })
    const configured = await user.open(`/agents/${agentId}/tools/${toolId}`)
    await user.browser.press(configured, 'Save', { 'config.any_contact': 'true' })
    expect(await readConfig()).toEqual({ any_contact: true })
  })

  it("aren't accessible from another workspace", async () => {
    const mine = await seedSignedInOwner(world.service)
    const theirs = await seedSignedInOwner(world.service)
    await addWeather(theirs)
    const id = await getToolId(world.service, theirs, 'weather')
    for (const path of [
      `/tools/${id}`,
      `/tools/${id}/edit-http`,
      `/tools/${id}/edit-server`,
      `/tools/${id}/choose`,
    ])
      expect((await mine.open(path)).status).toBe(404)
    await addWeather(mine)
    const ownToolId = await getToolId(world.service, mine, 'weather')
    const page = await mine.open(`/tools/${ownToolId}`)
    const forged = { ...page, html: page.html.replaceAll(`/tools/${ownToolId}/`, `/tools/${id}/`) }
    expect((await mine.browser.press(forged, 'Delete tool')).page.status).toBe(404)
    expect((await getToolDetails(theirs, 'weather')).id).toBe(id)
  })
})

describe('an HTTP tool', () => {
  it('can be created from a simple list of arguments, used by an agent, edited, and deleted', async () => {
    const user = await seedSignedInOwner(world.service)
    const { workspaceId, agentId } = user.seed
    const { page } = await addWeather(user)
    expect(page.text).toContain('Tool added')
    expect(page.html).not.toContain('of-the-service')
    const tool = await getToolDetails(user, 'weather')
    expect(tool).toMatchObject({
      definitions: [
        {
          inputSchema: {
            type: 'object',
            properties: { city: { type: 'string', description: 'The city' }, days: { type: 'integer' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
      ],
      secretNames: ['KEY', 'TOKEN'],
    })
    await assignTool(world.service.deps, workspaceId, agentId, tool.id, {})
    const trial = await user.open(`/agents/${agentId}/tools/${tool.id}/try`)
    const { page: trialResult } = await user.browser.press(trial, 'Run tool', { 'args.city': 'Bonn' })
    expect(trialResult.text).toContain('weather of /Bonn?key=[secret]')
    expect(receiver.requests.at(-1)?.headers).toMatchObject({
      authorization: 'Bearer token-of-the-service',
      'x-team': 'sales',
    })

    const edit = await user.open(`/tools/${tool.id}/edit-http`)
    expect(edit.html).not.toContain('of-the-service')
    const { page: saved } = await user.browser.press(edit, 'Save', {
      description: 'Weather, <today>.',
      'secret.TOKEN': 'another-of-the-service',
      'param.2.name': '',
    })
    expect(saved.html).toContain('Weather, &lt;today&gt;.')
    const again = await user.open(`/agents/${agentId}/tools/${tool.id}/try`)
    expect(again.html).not.toContain('args.days')
    await user.browser.press(again, 'Run tool', { 'args.city': 'Ulm' })
    expect(receiver.requests.at(-1)?.path).toBe('/Ulm?key=key-of-the-service')
    expect(receiver.requests.at(-1)?.headers.authorization).toBe('Bearer another-of-the-service')

    const { page: gone } = await user.browser.press(saved, 'Delete tool')
    expect(gone.text).toContain('Tool deleted')
    expect(gone.html).not.toContain('>weather<')
  })

  it('can have 50 long headers and an argument with a description of 30,000 and a value of 100,000 characters', async () => {
    const user = await seedSignedInOwner(world.service)
    const headers = Array.from({ length: 50 }, (_, at) => `X-Header-${at}: ${'x'.repeat(1_000)}`).join('\n')
    const form = await user.open('/tools/new-http')
    const { page } = await user.browser.press(form, 'Add tool', {
      ...{ name: 'long', description: 'Long.', method: 'POST', url: receiver.url('/long'), headers },
      ...{ 'param.1.name': 'items', 'param.1.about': 'x'.repeat(30_000) },
    })
    expect(page.text).toContain('Tool added')
    const tool = await getToolDetails(user, 'long')
    await assignTool(world.service.deps, user.seed.workspaceId, user.seed.agentId, tool.id, {})
    // Removes the tool's headers, because most servers, like this one, don't accept 50 KB of headers.
    await user.browser.press(await user.open(`/tools/${tool.id}/edit-http`), 'Save', { headers: '' })
    receiver.requests.length = 0
    const trial = await user.open(`/agents/${user.seed.agentId}/tools/${tool.id}/try`)
    await user.browser.press(trial, 'Run tool for real', { 'args.items': 'y'.repeat(100_000) })
    expect(receiver.requests.map(({ body }) => body.length > 100_000)).toEqual([true])
  })

  it('accepts a JSON Schema that describes its arguments, and saves it unchanged', async () => {
    const user = await seedSignedInOwner(world.service)
    const form = await user.open('/tools/new-http')
    const input_schema =
      '{"type":"object","properties":{"city":{"type":"string","enum":["Bonn"]}},"required":["city"]}'
    const fields = { ...weather(), arguments_as: 'schema' }
    const { page: broken } = await user.browser.press(form, 'Add tool', {
      ...fields,
      input_schema: '{"type":',
    })
    expect(broken.status).toBe(422)
    expect(broken.html).toMatch(/id="f-input_schema-issue">Invalid JSON/)
    const { page: wrong } = await user.browser.press(form, 'Add tool', {
      ...fields,
      input_schema: '{"type":"object","properties":{"city":{"type":"nonsense"}},"required":["city"]}',
    })
    expect(wrong.html).toMatch(/id="f-input_schema-issue">The schema isn&#39;t valid/)
    await user.browser.press(form, 'Add tool', { ...fields, input_schema })
    const tool = await getToolDetails(user, 'weather')
    expect(tool).toMatchObject({ definitions: [{ inputSchema: JSON.parse(input_schema) as object }] })
    const edit = await user.open(`/tools/${tool.id}/edit-http`)
    await user.browser.press(edit, 'Save')
    expect(await getToolDetails(user, 'weather')).toMatchObject({
      definitions: [{ inputSchema: JSON.parse(input_schema) as object }],
    })
  })

  it("is rejected if fields aren't valid, and the form shows each issue next to its field, but no secrets", async () => {
    const user = await seedSignedInOwner(world.service)
    const form = await user.open('/tools/new-http')
    const press = async (change: Record<string, string>) =>
      (await user.browser.press(form, 'Add tool', { ...weather(), ...change })).page

    const page = await press({ name: 'two words', description: '', url: 'weather' })
    expect(page.status).toBe(422)
    expect(page.html).toMatch(/id="f-name-issue">This name isn&#39;t valid/)
    expect(page.html).toMatch(/id="f-description-issue">Enter a description\./)
    expect(page.html).toMatch(/id="f-url-issue">The URL is invalid/)
    expect(page.html).toContain('value="two words"')
    expect(page.html).toContain('value="KEY"')
    expect(page.html).not.toContain('key-of-the-service')
    expect(page.text).toContain('Enter them again')

    expect((await press({ headers: 'Authorization' })).html).toMatch(
      /id="f-headers-issue">Line 1 isn&#39;t a header/,
    )
    expect((await press({ 'param.2.name': 'city' })).html).toContain(
      'An argument named city already exists. Choose another name.',
    )
    expect((await press({ 'param.1.name': 'the city' })).html).toContain('for the argument name')
    const many = await press({ name: 'two words', headers: 'Authorization', 'param.1.name': 'the city' })
    for (const field of ['name', 'headers']) expect(many.html).toContain(`id="f-${field}-issue"`)
    expect(many.html).toContain('for the argument name')
    expect((await press({ key_secret_2: '' })).html).toMatch(
      /id="f-key_secret_2-issue">Enter the secret(&#39;|')s value/,
    )
    expect((await press({ key_name_2: '', key_secret_2: '' })).text).toContain(
      'The secret TOKEN is used but has no value.',
    )
  })

  it("doesn't send its secrets to another host unless they're entered again", async () => {
    const user = await seedSignedInOwner(world.service)
    await addWeather(user)
    const id = await getToolId(world.service, user, 'weather')
    const edit = await user.open(`/tools/${id}/edit-http`)
    const { page } = await user.browser.press(edit, 'Save', {
      url: 'https://elsewhere.example.com/{city}?key={{secret.KEY}}',
    })
    expect(page.status).toBe(422)
    expect(page.text).toContain('The secret KEY is used but has no value.')
  })
})

describe('an MCP server', () => {
  const server = () => ({
    name: 'crm',
    description: 'Our customers.',
    url: remote.url,
    headers: 'X-Key: {{secret.KEY}}',
    key_name_1: 'KEY',
    key_secret_1: 'key-of-the-server',
  })

  const add = async (user: Seeded) =>
    (await user.browser.press(await user.open('/tools/new-server'), 'Add server', server())).page

  it('can be added, used by an agent after its tools are selected, refreshed, and edited', async () => {
    const user = await seedSignedInOwner(world.service)
    const { workspaceId, agentId } = user.seed
    const choice = await add(user)
    expect(choice.text).toContain('Select the tools')
    expect(choice.html).toContain('Finds &lt;people&gt;.')
    expect(choice.text).toContain('Unavailable tools bad name')
    expect(choice.html).not.toContain('key-of-the-server')
    const { page: chosen } = await user.browser.press(choice, 'Save selection', { tools: ['find'] })
    expect(chosen.text).toContain('1 tool selected')
    expect(chosen.text).toContain('crm__find Read-only')

    const id = await getToolId(world.service, user, 'crm')
    await assignTool(world.service.deps, workspaceId, agentId, id, {})
    const trial = await user.open(`/agents/${agentId}/tools/${id}/try`)
    const { page: trialResult } = await user.browser.press(trial, 'Run tool', { 'args.name': 'Ann' })
    expect(trialResult.text).toContain('found Ann')

    const { page: refreshed } = await user.browser.press(chosen, 'Refresh tools')
    expect(refreshed.text).toContain('Not selected: remove')
    const edit = await user.open(`/tools/${id}/edit-server`)
    const { page: saved } = await user.browser.press(edit, 'Save', { name: 'customers' })
    expect(saved.text).toContain('customers__find')

    const again = await user.open(`/tools/${id}/choose`)
    expect(again.html).toMatch(/value="find" checked/)
    await user.browser.press(again, 'Save selection', { tools: ['find', 'remove'] })
    const trials = await user.open(`/agents/${agentId}/tools/${id}/try?tool=customers__remove`)
    expect(trials.text).toContain('Try customers__remove')
    expect(trials.text).toContain('The tool runs for real')
  })

  it("can't be added if it's unreachable, and the form shows why next to the URL", async () => {
    const user = await seedSignedInOwner(world.service)
    const form = await user.open('/tools/new-server')
    const { page } = await user.browser.press(form, 'Add server', {
      ...server(),
      url: 'http://127.0.0.1:9/mcp',
    })
    expect(page.status).toBe(422)
    expect(page.html).toMatch(/id="f-url-issue">Couldn&#39;t list the tools/)
    expect((await user.open('/tools')).html).not.toContain('>crm<')
  })

  it('can become unavailable, and its tool selection page then shows an error and “Try again”', async () => {
    const user = await seedSignedInOwner(world.service)
    await add(user)
    const id = await getToolId(world.service, user, 'crm')
    await remote.stop()
    const page = await user.open(`/tools/${id}/choose`)
    await remote.start()
    expect(page.status).toBe(200)
    expect(page.text).toContain("Couldn't list the tools of this server")
    expect(page.text).toContain('Try again')
  })
})

itInChromium(
  'lets the user add an HTTP tool and an MCP server in the browser, on accessible pages',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const tab = await openTab(world.service, chromium, user)
    const consoleErrors: string[] = []
    tab.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
    await tab.goto(user.urlFor('/tools'))
    await expectAccessible(tab)
    await tab.getByRole('link', { name: 'Add HTTP tool' }).click()
    await tab.getByLabel('Name', { exact: true }).fill('weather')
    await tab.getByLabel('Description for the agent').fill('The weather of a city.')
    await tab.getByLabel('URL').fill(receiver.url('/{city}'))
    await tab.getByRole('button', { name: 'Add tool' }).click()
    await tab.locator('.issue', { hasText: "{city} isn't one of the arguments" }).waitFor()
    await expectAccessible(tab)
    const schema = tab.locator('#f-input_schema')
    expect(await schema.isVisible()).toBe(false)
    await tab.getByRole('radio', { name: 'JSON Schema' }).check()
    expect(await schema.isVisible()).toBe(true)
    await tab.getByRole('radio', { name: 'Simple list' }).check()
    await tab.getByLabel('Name of argument 1').fill('city')
    await tab.getByRole('group', { name: 'Argument 1' }).getByLabel('Required').check()
    await tab.getByRole('button', { name: 'Add tool' }).click()
    await tab.getByRole('heading', { name: 'weather' }).waitFor()
    await tab.getByText('Arguments').click()
    await expectAccessible(tab)

    await tab.goto(user.urlFor('/tools/new-server'))
    await expectAccessible(tab)
    await tab.getByLabel('Name', { exact: true }).fill('crm')
    await tab.getByLabel('Description').fill('Our customers.')
    await tab.getByLabel('URL').fill(remote.url)
    await tab.getByRole('button', { name: 'Add server' }).click()
    await tab.getByLabel(/^find/).check()
    await expectAccessible(tab)
    await tab.getByRole('button', { name: 'Save selection' }).click()
    await tab.getByText('1 tool selected').waitFor()
    expect(consoleErrors.filter((entry) => !entry.includes('422'))).toEqual([])
  },
)
