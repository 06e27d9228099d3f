const runs = 3

/**
 * The minimum CPU time that a measurement counts as. Less says nothing about growth, because of the clock's resolution, the
 * compiler, and the garbage collector, which can take 30 ms for the long text alone. Quadratic growth would take seconds.
 */
const floorMs = 3

/** The maximum ratio of CPU times for a text that's ten times longer. Linear growth gives 10, and quadratic growth 100. */
const maxGrowth = 30

const lengths = { short: 20_000, long: 200_000 }

/**
 * Compares the CPU time of `work` for texts of 20 KB and 200 KB. Elapsed time would depend on the machine and its load.
 * Measures growth a second time before reporting it, because the code may have been compiled in the meantime.
 *
 * @param repeat returns a text of about this length
 * @returns a description of the growth if it's more than 30 times, otherwise undefined
 */
export async function findGrowth(
  what: string,
  repeat: (length: number) => string,
  work: (text: string) => unknown,
): Promise<string | undefined> {
  const text = repeat(lengths.long)
  // If the long text takes this little time, it's within the limit, so the short text isn't measured.
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
 * Returns the lowest CPU time of several runs, in milliseconds, because noise only adds to it.
 *
 * @param limitMs stops early if a run takes no longer than this, or so much longer that noise can't be the reason
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

/** Texts for which patterns and parsers may look far ahead or back. Each function returns a text of about the given length. */
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
