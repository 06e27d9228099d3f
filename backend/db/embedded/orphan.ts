import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Stops the PostgreSQL that a killed service left in `cluster`, and waits until it is gone: usually its watchdog is at
 * it already. Call it as the claimed owner only. A pid that belongs to another program by now, as after the restart
 * of a container, is not touched, and the file that names it is removed: PostgreSQL would take it for itself.
 */
export async function stopOrphan(cluster: string): Promise<void> {
  const file = path.join(cluster, 'postmaster.pid')
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0])
  if (!pid) return
  while (await isPostgres(pid, cluster)) {
    process.kill(pid, 'SIGINT')
    await delay(50)
  }
  if (isAlive(pid)) await rm(file, { force: true })
}

async function isPostgres(pid: number, cluster: string): Promise<boolean> {
  const command = await readCommand(pid)
  return command.includes('postgres') && command.includes(cluster)
}

/** Empty where there is no such process. */
async function readCommand(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  if (process.platform === 'win32') return isAlive(pid) ? 'unknown' : ''
  return run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout,
    () => '',
  )
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
