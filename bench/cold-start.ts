import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * `npm run bench:cold-start` measures how long the built connector takes to load in a process that has already loaded
 * zapier-platform-core. Each measurement has its own process, because a process loads a module only once.
 */
const processes = Number(process.env.BENCH_PROCESSES ?? 20)
const root = fileURLToPath(new URL('..', import.meta.url))
const bundle = pathToFileURL(path.join(root, 'dist/index.js')).href
const program = `
  await import('zapier-platform-core')
  const start = performance.now()
  await import(${JSON.stringify(bundle)})
  console.log(performance.now() - start)
`
// Zapier's processes have no cache of compiled code.
const env = { ...process.env, NODE_COMPILE_CACHE: undefined, NODE_OPTIONS: undefined }

const times = Array.from({ length: processes }, () =>
  Number(
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: root,
      env,
      encoding: 'utf8',
    }),
  ),
).toSorted((one, other) => one - other)

/** Returns the time that the given share of the measured times doesn't exceed. */
const quantile = (part: number): number => times[Math.round(part * (times.length - 1))] ?? NaN
const row = (cells: string[]): string => `| ${cells.join(' | ')} |`
process.stdout.write(
  [
    row(['Processes', 'Median', 'Fastest', 'Slowest']),
    row(['---', '---', '---', '---']),
    row([String(times.length), ...[0.5, 0, 1].map((part) => `${quantile(part).toFixed(1)} ms`)]),
    '',
  ].join('\n'),
)
