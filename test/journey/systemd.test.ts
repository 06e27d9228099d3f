import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals'
import { findFreePort } from '../../backend/platform/db/embedded/server-address.ts'
import { useTestDatabase } from '../../backend/test/support/world.ts'
import { readCompose } from '../support/compose.ts'
import { root } from '../support/docs.ts'

// Runs the commands in docs/systemd/outdial@.service as systemd would, but in this checkout.
jest.setTimeout(60_000)
const file = 'docs/systemd/outdial@.service'
const settings = new Map(
  [...readFileSync(path.join(root, file), 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
)
const setting = (name: string) => settings.get(name) ?? ''
const inCheckout = (command: string) => command.replaceAll('/opt/outdial', root)

const database = useTestDatabase()
let environment: Record<string, string>
const children: ChildProcess[] = []
beforeAll(async () => {
  environment = {
    PATH: process.env.PATH ?? '',
    NODE_ENV: 'production',
    DATABASE_URL: database.url,
    SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
    RUNTIME_SECRET: 'runtime-secret-of-at-least-thirty-two-characters',
    PORT: String(await findFreePort('127.0.0.1')),
    LOG_LEVEL: 'silent',
  }
})
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

function start(command: string, more: Record<string, string> = {}) {
  const child = spawn('/bin/sh', ['-c', `exec ${inCheckout(command)}`], {
    cwd: inCheckout(setting('WorkingDirectory')),
    env: { ...environment, ...more },
    stdio: 'ignore',
  })
  children.push(child)
  return { child, exited: once(child, 'exit') }
}

it('the systemd unit starts the same script as npm start, with the Node that npm ci installs', () => {
  const [node = '', script = ''] = inCheckout(setting('ExecStart')).split(' ')
  const { scripts, optionalDependencies } = JSON.parse(
    readFileSync(path.join(root, 'package.json'), 'utf8'),
  ) as { scripts: Record<string, string>; optionalDependencies: Record<string, string> }
  expect(scripts.start).toBe(`node ${script}`)
  expect(optionalDependencies).toHaveProperty('node')
  expect(existsSync(node)).toBe(true)
})

// macOS has no other loopback address.
const secondAddress = process.platform === 'darwin' ? '127.0.0.1' : '127.0.0.2'

it.each([
  ['all', '127.0.0.1'],
  ['worker', secondAddress],
])(
  'with ROLE=%s and HOST=%s, ExecStartPost waits until the process is ready, and SIGTERM stops the process in time',
  async (ROLE, HOST) => {
    const role = { ROLE, HOST, WORKER_PORT: String(await findFreePort(HOST)) }
    const service = start(setting('ExecStart'), role)
    const waiting = start(setting('ExecStartPost'), { ...role, MAINPID: String(service.child.pid) })
    expect(await waiting.exited).toEqual([0, null])
    const port = ROLE === 'worker' ? role.WORKER_PORT : environment.PORT
    expect((await fetch(`http://${HOST}:${port}/readyz`)).status).toBe(200)

    const stoppedAt = performance.now()
    service.child.kill('SIGTERM')
    expect(await service.exited).toEqual([0, null])
    expect(performance.now() - stoppedAt).toBeLessThan(Number(setting('TimeoutStopSec')) * 1_000)
  },
)

it('ExecStartPost fails instead of waiting if the process has exited, for example because a setting is missing', async () => {
  const service = start(setting('ExecStart'), { SECRET_KEY: '' })
  const pid = String(service.child.pid)
  expect(await service.exited).toEqual([1, null])
  const waiting = start(setting('ExecStartPost'), { MAINPID: pid })
  expect(await waiting.exited).toEqual([1, null])
})

it('the systemd unit gives a process as much time to stop as compose.yaml does', () => {
  const { outdial } = readCompose(path.join(root, 'compose.yaml')).services
  expect(`${setting('TimeoutStopSec')}s`).toBe(outdial?.stop_grace_period)
})
