import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type Call, CallList, type ContactAdded } from '@outdial/contract'
import { createTestDatabase, type TestDatabase } from '../../backend/test/support/database.ts'
import { RemoteMcpServer } from '../../backend/test/support/remote-mcp-server.ts'
import { waitFor } from '../../backend/test/support/wait.ts'
import { codeBlocks } from '../support/docs.ts'
import { commandsRunBy, withoutNpm } from '../support/documented-commands.ts'
import { type ServiceProcess, startByCommand, startServiceProcess } from './service-process.ts'

// These tests run the docs' commands in a shell.
const timeoutMs = 300_000
let service: ServiceProcess
/** A database as in a new installation. It has no users, so the IDs in the docs' commands are right. */
let empty: TestDatabase
let folder: string

beforeAll(async () => {
  ;[service, empty] = await Promise.all([startServiceProcess(), createTestDatabase()])
  folder = await mkdtemp(path.join(tmpdir(), 'outdial-docs-'))
  await symlink(service.dataDir, path.join(folder, '.outdial'))
}, timeoutMs)

afterAll(async () => {
  await Promise.all([service.stop(), empty.close()])
  await rm(folder, { recursive: true, force: true })
}, timeoutMs)

const commandsOf = (page: string) => commandsRunBy('test/journey/documented-commands.test.ts', page)

/** Runs commands from the docs in a shell, and returns their output. Rejects if the last command fails. */
async function run(command: string, env: Record<string, string | undefined>): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', withoutNpm(command)], { cwd: folder, env })
  return stdout
}

it(
  'queues a call with the commands in README.md',
  async () => {
    const commands = commandsOf('README.md').join('\n')
    const output = await run(
      commands.replace('http://127.0.0.1:8787', service.demo.base_url),
      service.environment,
    )

    expect(JSON.parse(output)).toMatchObject({
      contact_created: true,
      call_queued: true,
      contact: { first_name: 'Maya', variables: { product: 'a roof inspection' } },
    })
  },
  timeoutMs,
)

it(
  'runs the admin commands of the guides, the tutorial, and docs/reference/settings.md in an empty installation',
  async () => {
    const remote = new RemoteMcpServer('streamable')
    remote.tools = ['find_deal', 'close_deal'].map((name) => ({ name, inputSchema: { type: 'object' } }))
    await remote.start()
    await writeInputFiles(remote.url)
    const environment = {
      ...process.env,
      DATABASE_URL: empty.url,
      SECRET_KEY: 'a'.repeat(32),
      ALLOW_LOOPBACK_WEBHOOKS: 'true', // this test's remote server
    }
    let spreadsheetId = ''
    const outputs = new Map<string, string>()
    const runAll = async (commands: string[]) => {
      for (const command of commands) {
        // Replaces the placeholders that readers fill in.
        const completed = command
          .replace('create-user …', 'create-user --email kim@example.com --name Kim')
          .replace('<ID>', '12345')
          .replace('…', spreadsheetId)
        const output = await run(completed, environment)
        spreadsheetId = /^spreadsheet_id +(\S+)/m.exec(output)?.[1] ?? spreadsheetId
        outputs.set(/ -- ([\w-]+)/.exec(command)?.[1] ?? 'list of commands', output)
      }
    }

    await runAll(commandsOf('docs/guides/users.md'))
    await runAll(commandsOf('docs/guides/connect-zapier.md'))
    await runAll(commandsOf('docs/tutorial.md'))
    await runAll(commandsOf('docs/reference/settings.md'))
    // Creates agent 2, to which docs/guides/agents-and-tools.md assigns a tool.
    await runAll(['npm run admin -- create-agent --workspace 1 --name Ben --greeting Hi'])
    await runAll(commandsOf('docs/guides/agents-and-tools.md'))
    const { stdout: tools } = await promisify(execFile)(
      'sh',
      ['-c', withoutNpm('npm run admin -- list-tools --workspace 1 --json')],
      { env: environment },
    )
    await remote.stop()

    expect(outputs.get('list of commands')).toContain('erase-contact')
    expect(outputs.get('create-oauth-client')).toMatch(/odc_.+\n.*ods_/)
    expect(outputs.get('set-google-account')).toContain('outdial@example.iam.gserviceaccount.com')
    expect(outputs.get('add-http-tool')).toMatch(/tool_id +8\n/)
    expect(outputs.get('add-remote-server')).toMatch(/tool_id +9\n/)
    expect(await readFile(path.join(folder, 'leads.csv'), 'utf8')).toMatch(/name,result/)
    expect(JSON.parse(tools)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'spreadsheet_append', agents: ['1'] }),
        expect.objectContaining({ id: 9, name: 'crm' }),
      ]),
    )
  },
  timeoutMs,
)

/** Writes the files that the commands read. If the docs show a file's content, the file gets this content. */
async function writeInputFiles(remoteUrl: string): Promise<void> {
  const [weather = '', crm = ''] = codeBlocks('docs/guides/agents-and-tools.md', 'json')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const files = {
    'weather.json': weather,
    'crm.json': crm.replace(/https:[^"]+/, remoteUrl),
    'change.json': '{"description": "The weather of a city."}',
    'prices.txt': 'A roof inspection costs 90 dollars.',
    'key.json': JSON.stringify({
      type: 'service_account',
      client_email: 'outdial@example.iam.gserviceaccount.com',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    }),
    file: 'a password of the reader\n',
  }
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content)
}

it(
  'runs every command in docs/guides/support.md, and the diagnose commands print the cause of each problem',
  async () => {
    const commands = commandsOf('docs/guides/support.md')
    const callId = await makeCall('+12025550100')
    const [, requestId = ''] = / --request (\S+)/.exec(commands.join('\n')) ?? []
    await callApi('POST', '/contacts/', { phone_number: '12' }, { 'x-request-id': requestId })
    const [eventId = ''] = /evt_[\w-]+/.exec(await diagnoseCall(callId)) ?? []
    // The API log is written up to a second after the request.
    const diagnoseRequest = `npm run support -- diagnose --request ${requestId}`
    await waitFor(
      () => run(diagnoseRequest, service.environment).catch(() => undefined),
      () => {},
      timeoutMs,
    )

    const outputs = new Map<string, string>()
    for (const command of commands) {
      const completed = command.replace(/evt_\w+/, eventId)
      outputs.set(command, await run(completed, service.environment))
    }

    const outputOf = (text: string) =>
      [...outputs].filter(([command]) => command.includes(text)).map(([, output]) => output)
    const causesOf = (option: string) => outputOf(option).map((output) => output.split('\n')[1])
    expect(commands.length).toBeGreaterThanOrEqual(10)
    expect(causesOf('--request')).toEqual([expect.stringMatching(/^Rejected with validation_failed \(/)])
    expect(causesOf('diagnose --call')).toEqual([expect.stringMatching(/^The (agent|contact) hung up\.$/)])
    expect(causesOf('diagnose --contact')).toEqual([expect.stringMatching(/^Latest call, call \d+: The /)])
    expect(causesOf('--event')).toEqual([expect.stringMatching(/^The event /)])
    expect(outputOf('list-agents')[0]).toMatch(/\blive\b/)
    expect(outputOf('list-phone-numbers')[0]).toMatch(/\bactive\b/)
    expect(outputOf('list-oauth-clients')[0]).toContain('redirect_uris')
    const [again = ''] = commands.filter((each) => each.includes('diagnose --contact'))
    expect(await run(again, service.environment)).toContain("The number isn't called, because it was put on")
  },
  timeoutMs,
)

/** Makes a call in the demo workspace. Waits until its event exists, and returns the call's ID. */
async function makeCall(phoneNumber: string): Promise<number> {
  const { call } = await callApi<ContactAdded>('POST', '/contacts/', {
    campaign_id: service.demo.campaign_id,
    phone_number: phoneNumber,
  })
  await waitFor(async () => (await callApi<Call>('GET', `/calls/${call.id}/`)).status === 'completed')
  await waitFor(async () => (await diagnoseCall(call.id)).includes('evt_'))
  return call.id
}

const diagnoseCall = (id: number): Promise<string> =>
  run(`npm run support -- diagnose --call ${id}`, service.environment)

it(
  'erases a contact with the command in docs/guides/personal-data.md',
  async () => {
    const queued = await callApi<ContactAdded>('POST', '/contacts/', {
      campaign_id: service.demo.campaign_id,
      phone_number: '+12025550123',
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    const [command = ''] = commandsOf('docs/guides/personal-data.md')

    await run(command.replace('--contact 1', `--contact ${queued.contact.id}`), service.environment)

    expect(await callApi('GET', `/calls/${queued.call.id}/`)).toMatchObject({
      outcome: 'canceled',
      ended_reason: 'contact_erased',
      contact: { phone_number: '' },
    })
  },
  timeoutMs,
)

it(
  "creates the reviewers' account and its sample data with the commands in docs/publishing/test-account.md",
  async () => {
    const database = await createTestDatabase()
    const environment = {
      ...process.env,
      DATABASE_URL: database.url,
      SECRET_KEY: 'a'.repeat(32),
      RUNTIME_SECRET: 'r'.repeat(32),
      PORT: '0',
      SIMULATION_SPEED: '200',
    }
    const server = await startByCommand('npm start', environment)
    try {
      const commands = commandsOf('docs/publishing/test-account.md')
      const isAdmin = (command: string) => command.startsWith('npm run admin')
      let apiKey = ''
      for (const command of commands.filter(isAdmin)) {
        const output = await run(command, environment)
        apiKey = /^api_key +(\S+)/m.exec(output)?.[1] ?? apiKey
      }
      const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(server.output) ?? []
      const requests = commands
        .filter((command) => !isAdmin(command))
        .join('\n')
        .replace('https://calls.example.com', address)
        .replace('API_KEY=…', `API_KEY=${apiKey}`)
      await run(requests, environment)

      const outcomes = await waitFor(async () => {
        const response = await fetch(`${address}/api/public/v1/calls/`, {
          headers: { authorization: `Bearer ${apiKey}` },
        })
        const { results } = CallList.parse(await response.json())
        return results.every(({ status }) => status === 'completed') && results.map(({ outcome }) => outcome)
      })
      expect(outcomes.toSorted()).toEqual(['answered', 'declined', 'suppressed', 'voicemail'])
    } finally {
      await server.stop()
      await database.close()
    }
  },
  timeoutMs,
)

/** Sends a request to the API with the demo workspace's key, and returns the response body. */
async function callApi<Result>(
  method: string,
  apiPath: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Result> {
  const { base_url, api_key } = service.demo
  const response = await fetch(`${base_url}/api/public/v1${apiPath}`, {
    method,
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  return (await response.json()) as Result
}
