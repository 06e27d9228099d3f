import { readdirSync, readFileSync } from 'node:fs'

/** The unit of `times` in /proc, on every Linux machine that Node supports. */
const ticksPerSecond = 100

/**
 * Returns the seconds of CPU time that processes and the children that they waited for have used. Unlike throughput, it
 * hardly depends on what else the machine does. Linux only.
 */
export const measureCpuSeconds = (processIds: readonly number[]): number =>
  processIds.reduce((sum, pid) => {
    const [userTime = 0, systemTime = 0, childUserTime = 0, childSystemTime = 0] = readStat(pid)
      .slice(11, 15)
      .map(Number)
    return sum + userTime + systemTime + childUserTime + childSystemTime
  }, 0) / ticksPerSecond

/** Returns a process's parent and all of the parent's children. */
export function listSiblings(pid: number): number[] {
  const parentOf = (each: number) => Number(readStat(each)[1])
  const parent = parentOf(pid)
  const processIds = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return [parent, ...processIds.filter((each) => parentOf(each) === parent)]
}

/** Returns the fields of /proc/PID/stat that follow the program's name, beginning with the state. Empty if it ended. */
function readStat(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
