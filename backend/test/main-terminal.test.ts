import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, it, jest } from '@jest/globals'
import { runScript } from './support/child-process.ts'
import { useTestFolder } from './support/folder.ts'

jest.setTimeout(90_000)
const start = path.resolve(import.meta.dirname, '../../scripts/start.mjs')
const dataDir = useTestFolder()

/** Returns true if the machine has the `script` program of util-linux, which runs a command in a new terminal. */
function hasScript(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
}

const onTerminal = hasScript() ? it : it.skip
onTerminal('prints a summary with the demo credentials and readable log lines in a terminal', async () => {
  const command = `exec "${process.execPath}" "${start}"`
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir.path, PORT: '0' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let written = ''
  let isStopped = false
  child.stdout.on('data', (chunk: Buffer) => {
    written += stripVTControlCharacters(chunk.toString())
    if (isStopped || !written.includes('INFO: Outdial is ready')) return
    isStopped = true
    child.stdin.write('\u0003') // Ctrl-C
  })
  await once(child, 'close')
  expect(written).toMatch(/Dashboard +http:\/\/127\.0\.0\.1:\d+\/\r\n/)
  expect(written).toMatch(/Password +\S+\r\n/)
  expect(written).toMatch(/\[\d\d:\d\d:\d\d\] INFO: stopping \{"signal":"SIGINT"\}\r\n/)
})

it("writes only JSON lines, and no startup summary, if the output isn't a terminal", async () => {
  const service = runScript('start', [], { DATA_DIR: dataDir.path, PORT: '0' })
  await service.waitForOutput(/Outdial is ready/)
  service.process.kill('SIGTERM')
  const { stdout } = await service.result
  const messages = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(messages).toContain('Outdial is ready')
})
