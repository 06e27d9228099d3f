const runs = 3

/**
 * CPU time below this says nothing about growth: the clock's resolution, the compiler, and the garbage collector, which can
 * take 30 ms for the long text alone. If time grew by the square, it would take seconds.
 */
const floorMs = 3

/** How much more CPU time ten times the text may take: 10 × if it grows in proportion, and 100 × if by the square. */
const maxGrowth = 30

const lengths = { short: 20_000, long: 200_000 }

/**
 * Compares the CPU time that work takes for a text of 20 KB and for one of 200 KB. Time on the clock would depend on the
 * machine and on what else it does. Compares again before it reports growth, because code that was compiled meanwhile is
 * faster.
 *
 * @param repeat returns a text of about this length
 * @returns a description of growth that is more than 30 times, otherwise undefined
 */
export async function findGrowth(
  what: string,
  repeat: (length: number) => string,
  work: (text: string) => unknown,
): Promise<string | undefined> {
  const text = repeat(lengths.long)
  // If the long text takes so little, it's within the limit whatever the short one takes, which needn't be measured.
  let long = await measureOnce(text, work)
  if (long <= floorMs * maxGrowth) return undefined
  let short = 0
  for (let comparison = 0; comparison < 2; comparison += 1) {
    short = Math.max(await measureCpuMs(repeat(lengths.short), work), floorMs)
    const limit = short * maxGrowth
    if (long > limit) long = await measureCpuMs(text, work, limit)
    if (long <= limit) return undefined
  }
  return `${what}: ${short.toFixed(1)} ms for 20 KB, ${long.toFixed(1)} ms for 200 KB`
}

/**
 * Returns the least CPU time of some runs, in milliseconds, because noise only adds to it.
 *
 * @param limitMs stops when a run is below it, or so far above it that noise can't be the reason
 */
async function measureCpuMs(
  text: string,
  work: (text: string) => unknown,
  limitMs?: number,
): Promise<number> {
  let least = Infinity
  for (let run = 0; run < runs; run += 1) {
    least = Math.min(least, await measureOnce(text, work))
    if (limitMs !== undefined && (least <= limitMs || least > 5 * limitMs)) break
  }
  return least
}

async function measureOnce(text: string, work: (text: string) => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Texts in which patterns and parsers look far ahead or back, each repeated up to a length. */
export const repeatedTexts: Record<string, (length: number) => string> = Object.fromEntries(
  [
    ['', ' ', 'x'],
    ['x', ' ', 'x'],
    ['', '\t', 'x'],
    ['', '\n', 'x'],
    ['', ' \n', 'x'],
    ['', '/', 'x'],
    ['', '=', 'x'],
    ['', ':', 'x'],
    ['', 'a', '!'],
    ['', '1', 'x'],
    ['+', '1', 'x'],
    ['', '{', 'x'],
    ['', '{{', 'x'],
    ['{{', ' ', 'x'],
    ['', '{{ a }} ', 'x'],
    ['', '[', 'x'],
    ['', '<', 'x'],
    ['', '"', 'x'],
    ['', '%', 'x'],
    ['', '\\', 'x'],
    ['', ',', 'x'],
    ['', '-', 'x'],
    ['en-u', '-a00000', ''],
    ['', 'aa-', 'x'],
    ['https://', 'a.', 'x'],
    ['https://example.com/', '../', 'x'],
    ['https://example.com/?', 'a&', 'x'],
    ['https://', 'a-', '_'],
    ['https://', '@', 'x'],
    ['', 'a@', 'x'],
    ['a@', 'a.', 'x'],
    ['2026-05-04T09:30:00.', '0', 'x'],
    ['', '+1d ', 'x'],
    ['', '((', 'x'],
    ['', '+1 (202) 555-0100 ext. 1 ', 'x'],
    ['', 'name = value\n', 'x'],
    ['', '\u{1F4DE}', 'x'],
    ['', 'İ', 'x'],
  ].map(([start = '', part = '', end = '']) => [
    JSON.stringify(`${start}${part}…${end}`),
    (length: number) => start + part.repeat(Math.ceil(length / part.length)) + end,
  ]),
)
