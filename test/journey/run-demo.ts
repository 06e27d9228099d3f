import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'

/** Runs the script of `npm run demo`, and returns its output. */
export async function runDemo(dataDir: string): Promise<{ status: unknown; stdout: string; stderr: string }> {
  const script = path.resolve(import.meta.dirname, '../../scripts/demo.mjs')
  const env = { ...process.env, DATA_DIR: dataDir }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[unknown]>,
  ])
  return { status, stdout, stderr }
}
