import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it } from '@jest/globals'

const script = path.resolve(import.meta.dirname, '../../scripts/dev.mjs')
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'outdial-dev-'))
  for (const name of ['scripts', 'backend', 'contract', 'reading']) await mkdir(path.join(folder, name))
  const service =
    "process.on('SIGTERM', () => process.exit()); setInterval(() => {}, 1000); console.log('started')"
  await writeFile(path.join(folder, 'scripts/start.mjs'), service)
  await writeFile(path.join(folder, 'backend/page.css'), 'one')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it("npm run dev restarts the service when a file that isn't imported changes, and stops the service on SIGTERM", async () => {
  const child = spawn(process.execPath, [script], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  let starts = 0
  // Repeats the change, because a change before the folder is watched has no effect.
  const change = setInterval(
    () => void writeFile(path.join(folder, 'backend/page.css'), String(Math.random())),
    200,
  )
  for await (const line of createInterface(child.stdout)) {
    if (line !== 'started') continue
    starts += 1
    if (starts > 1) child.kill('SIGTERM')
  }
  clearInterval(change)
  expect(starts).toBeGreaterThanOrEqual(2)
  // The output closes when the last process that inherited it ends.
  await ended
})
