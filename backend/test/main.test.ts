import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals'
import { DemoFile } from '../service/demo/demo-file.ts'
import { type RunningProcess, runScript, runUnderShell } from './support/child-process.ts'

jest.setTimeout(90_000)
const folders: string[] = []
const newFolder = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'outdial-start-'))
  folders.push(folder)
  return folder
}
/** The data folder for tests that use data from an earlier run of the service. */
let dataDir: string
beforeAll(async () => {
  dataDir = await newFolder()
})
const started: RunningProcess[] = []
afterEach(async () => {
  for (const { process, result } of started.splice(0)) {
    process.kill('SIGTERM') // not SIGKILL, after which the embedded database would run a moment longer
    await result
  }
})
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

function start(environment: Record<string, string> = {}): RunningProcess {
  const running = runScript('start', [], { DATA_DIR: dataDir, PORT: '0', ...environment })
  started.push(running)
  return running
}

const readDemo = (folder: string) =>
  DemoFile.parse(JSON.parse(readFileSync(path.join(folder, 'demo.json'), 'utf8')))

async function stop({ process, result }: RunningProcess) {
  process.kill('SIGTERM')
  return result
}

it('serves a demo workspace that can queue calls immediately, and keeps it across restarts', async () => {
  const folder = await newFolder()
  const first = start({ DATA_DIR: folder })
  const written = await first.waitForOutput(/Outdial is ready/)
  const demo = readDemo(folder)
  expect(statSync(path.join(folder, 'demo.json')).mode & 0o777).toBe(0o600)
  expect(demo.agents.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'Ava live',
    'Ben live',
    'Cleo draft',
  ])
  expect(written).toContain(demo.base_url)

  const authorization = `Bearer ${demo.api_key}`
  const queued = await fetch(`${demo.base_url}/api/public/v1/contacts/`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ phone_number: '+12025550100', campaign_id: demo.campaign_id }),
  })
  expect(queued.status).toBe(201)

  const ended = await stop(first)
  expect(ended.code).toBe(0)
  for (const secret of [demo.api_key, demo.password, demo.client_secret]) {
    expect(ended.stdout + ended.stderr).not.toContain(secret)
  }
  expect(existsSync(path.join(folder, 'postgres/postmaster.pid'))).toBe(false)

  const second = start({ DATA_DIR: folder })
  await second.waitForOutput(/Outdial is ready/)
  const again = readDemo(folder)
  expect(again).toEqual({ ...demo, base_url: again.base_url })
  const agents = await fetch(`${again.base_url}/api/public/v1/agents/`, { headers: { authorization } })
  expect(agents.status).toBe(200)
})

it('accepts admin commands whether the service runs or not', async () => {
  const listUsers = () => runScript('admin', ['list-users'], { DATA_DIR: dataDir }).result
  const service = start()
  await service.waitForOutput(/Outdial is ready/)
  expect((await listUsers()).stdout).toContain('demo@example.com')
  await stop(service)
  const [one, other] = await Promise.all([listUsers(), listUsers()])
  expect(one.stdout).toContain('demo@example.com')
  expect(other.stdout).toContain('demo@example.com')
})

it("doesn't open Node's inspector when it receives SIGUSR1", async () => {
  const service = start()
  await service.waitForOutput(/Outdial is ready/)
  service.process.kill('SIGUSR1')
  const { base_url: url } = readDemo(dataDir)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const { stderr } = await stop(service)
  expect(stderr).toBe('')
})

it("when npm's shell ends, the service stops cleanly, even if stopping takes seconds", async () => {
  const shell = runUnderShell({ DATA_DIR: dataDir, PORT: '0', SHUTDOWN_DELAY_SECONDS: '2' })
  await shell.waitForOutput(/Outdial is ready/)
  shell.process.kill('SIGTERM')
  // The service inherited the shell's output, so the output closes only when the service has ended.
  const { stdout } = await shell.result
  expect(stdout).toContain('"msg":"stopping"')
  expect(existsSync(path.join(dataDir, 'postgres/postmaster.pid'))).toBe(false)
})

it("when npm's shell ends during startup, the service stops cleanly", async () => {
  const folder = await newFolder()
  const shell = runUnderShell({ DATA_DIR: folder, PORT: '0' })
  while (!existsSync(path.join(folder, 'postgres'))) await delay(10)
  shell.process.kill('SIGTERM')
  const { stdout } = await shell.result
  expect(stdout).toContain('"msg":"stopping"')
})

it('prints a one-line error if Outdial is already running', async () => {
  await start().waitForOutput(/Outdial is ready/)
  const { code, stderr } = await start().result
  expect(code).toBe(1)
  expect(stderr).toMatch(/^DATA_DIR \S+ is in use: Outdial is already running there \(process \d+\)\..*\n$/)
})

it('prints a one-line error if the port is in use, and stops its database', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const { code, stderr } = await start({ PORT: String(port) }).result
  other.close()
  expect(code).toBe(1)
  expect(stderr).toBe(
    `Port ${port} on 127.0.0.1 is in use. Stop the process that uses it, or set PORT to another port.\n`,
  )
  expect(existsSync(path.join(dataDir, 'postgres/postmaster.pid'))).toBe(false)
})

it.each([
  [{ PORT: 'eighty' }, 'PORT'],
  [{ TELEPHONY: 'carrier-pigeon' }, 'TELEPHONY'],
  [{ TELEPHONY: 'http', RUNTIME_URL: 'http://127.0.0.1:9' }, 'TELEPHONY=http needs RUNTIME_SIGNING_KEY'],
  [{ DATABASE_URL: 'mysql://localhost/outdial' }, 'DATABASE_URL'],
  [{ SECRET_KEY: 'short' }, 'SECRET_KEY must have at least 32 characters'],
  [{ HOST: '192.0.2.1' }, "HOST 192.0.2.1 isn't an address of this machine"],
])('exits and names the invalid setting in %j', async (environment, named) => {
  const { code, stderr } = await start(environment).result
  expect(code).toBe(1)
  expect(stderr).toContain(named)
  expect(stderr).not.toContain('    at ')
})
