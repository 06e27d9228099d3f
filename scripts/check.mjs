import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

// Runs the checks of package.json in two lanes at the same time, because each lane keeps one core busy. ESLint takes as long
// as all the other checks.
const lanes = [
  ['check:lint'],
  ['check:types', 'check:walls', 'check:format', 'check:spelling', 'check:node22'],
]

/** Runs a script of package.json. Prints its output only when it has ended, so that the outputs of the lanes don't mix. */
async function run(script) {
  const child = spawn(`npm run --silent ${script} 2>&1`, {
    shell: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const [output, code] = await Promise.all([text(child.stdout), exited])
  if (code !== 0) process.exitCode = 1
  console.log(`${script}: ${code === 0 ? 'passed' : 'failed'}`)
  if (output !== '') console.log(output)
}

await Promise.all(
  lanes.map(async (scripts) => {
    for (const script of scripts) await run(script)
  }),
)
