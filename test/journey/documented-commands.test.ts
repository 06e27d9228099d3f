import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { ContactAdded } from '@outdial/contract'
import { codeBlocks, root, shellCommands } from '../support/docs.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

// Runs the commands of the docs in a shell, against a new service with its demo workspace. Commands that have a
// placeholder or need Zapier, Google, Docker, or another server are left out.
const timeoutMs = 120_000
let service: ServiceProcess
let folder: string

beforeAll(async () => {
  service = await startServiceProcess()
  folder = await mkdtemp(path.join(tmpdir(), 'outdial-docs-'))
  const [weather = ''] = codeBlocks('docs/custom-tools.md', 'json')
  const files = {
    'weather.json': weather,
    'change.json': '{"description": "The weather of a city."}',
    'prices.txt': 'A roof inspection costs 90 dollars.',
  }
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content)
}, timeoutMs)

afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
}, timeoutMs)

/** Runs a command of the docs and returns its output. Rejects if the command fails. */
async function runCommand(command: string): Promise<string> {
  // Without npm, because with npm the script would read this machine's .env.
  const script = command
    .replace(/^npm run admin(?: --)?/, `'${process.execPath}' '${path.join(root, 'scripts/admin.mjs')}'`)
    .replaceAll('http://127.0.0.1:8787', service.demo.base_url)
  const env = { ...service.environment, API_KEY: service.demo.api_key }
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: folder, env })
  return stdout
}

interface CreatedIds {
  workspace_id?: number
  tool_id?: number
}

/** Runs an admin command with the IDs that earlier ones created, and returns what it prints as JSON. */
async function runAdminCommand(command: string, ids: CreatedIds): Promise<CreatedIds> {
  if (!command.includes(' -- ')) return runCommand(command).then(() => ({}))
  const { workspace_id, tool_id } = ids
  const withIds = command
    .replace(/--workspace 1\b/, `--workspace ${workspace_id ?? 1}`)
    .replace(/--tool 8\b/, `--tool ${tool_id ?? 8}`)
  const output = await runCommand(`${withIds} --json`)
  return output === '' ? {} : (JSON.parse(output) as CreatedIds)
}

const adminCommands = (page: string): string[] =>
  shellCommands(page).filter(
    (command) =>
      command.startsWith('npm run admin') && !/…|<ID>|set-google-account|remote-server/.test(command),
  )

it(
  'queues the call in README.md',
  async () => {
    const [command = ''] = shellCommands('README.md').filter((line) => line.startsWith('curl '))

    expect(JSON.parse(await runCommand(command))).toMatchObject({
      contact_created: true,
      call_queued: true,
      contact: { first_name: 'Maya', variables: { product: 'a roof inspection' } },
    })
  },
  timeoutMs,
)

it.each(['docs/operating.md', 'docs/custom-tools.md'])(
  'runs the commands of %s, one after another',
  async (page) => {
    const commands = adminCommands(page)
    expect(commands.length).toBeGreaterThan(3)
    // The docs start with an empty installation, but this one has the demo's objects, so the IDs differ.
    const created: CreatedIds = {}
    for (const command of commands) Object.assign(created, await runAdminCommand(command, created))
  },
  timeoutMs,
)

it(
  'erases a contact with the command in docs/for-support.md',
  async () => {
    const queued = await callApi<ContactAdded>('POST', '/contacts/', {
      campaign_id: service.demo.campaign_id,
      phone_number: '+12025550123',
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    const [command = ''] = adminCommands('docs/for-support.md')

    await runCommand(command.replace('--contact 1', `--contact ${queued.contact.id}`))

    expect(await callApi('GET', `/calls/${queued.call.id}/`)).toMatchObject({
      outcome: 'canceled',
      ended_reason: 'contact_erased',
      contact: { phone_number: '' },
    })
  },
  timeoutMs,
)

/** Sends a request to the API with the demo workspace's key, and returns the response body. */
async function callApi<Result>(method: string, apiPath: string, body?: object): Promise<Result> {
  const { base_url, api_key } = service.demo
  const response = await fetch(`${base_url}/api/public/v1${apiPath}`, {
    method,
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return (await response.json()) as Result
}
