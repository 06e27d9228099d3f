import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Stops the PostgreSQL that a killed service left in `cluster`, and waits until it has ended. Usually its watchdog is
 * already stopping it. Call it only as the owner of DATA_DIR. If the pid now belongs to another program, for example
 * after the restart of a container, that program is left running and the pid file is removed, because PostgreSQL would
 * take the program for itself.
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

/** Reads the command line of a process. Returns '' if it doesn't exist. */
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
