import { readdirSync, readFileSync } from 'node:fs'

/** The unit of times in /proc, as ticks per second. It's the same on every Linux machine that Node supports. */
const ticksPerSecond = 100

/**
 * Returns the CPU time in seconds that processes have used, including the ended children for which they waited. Unlike
 * throughput, it hardly depends on other programs on the machine. Linux only.
 */
export const measureCpuSeconds = (processIds: readonly number[]): number =>
  processIds.reduce((sum, pid) => {
    const [userTime = 0, systemTime = 0, childUserTime = 0, childSystemTime = 0] = readStat(pid)
      .slice(11, 15)
      .map(Number)
    return sum + userTime + systemTime + childUserTime + childSystemTime
  }, 0) / ticksPerSecond

/** Returns all children of a process's parent, and the parent itself. */
export function listSiblings(pid: number): number[] {
  const parentOf = (each: number) => Number(readStat(each)[1])
  const parent = parentOf(pid)
  const processIds = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return [parent, ...processIds.filter((each) => parentOf(each) === parent)]
}

/** Returns the fields of /proc/PID/stat after the program's name, starting with the state. Empty if the process has ended. */
function readStat(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
