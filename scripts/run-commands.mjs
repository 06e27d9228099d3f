import { loadEnvFile } from './load-env-file.mjs'
import { preflight } from './preflight.mjs'

/**
 * Runs the command that the process's arguments name.
 *
 * @param {'adminProgram' | 'supportProgram'} program
 */
export async function runCommands(program) {
  preflight()
  loadEnvFile()
  const { main } = await import('../backend/admin/main.ts')
  const { [program]: commands } = await import('../backend/admin/commands.ts')
  const { env: environment, stdin, stdout, stderr } = process
  // A program that reads the output, such as `head`, may exit before all output is written.
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  process.exitCode = await main(process.argv.slice(2), { environment, stdin, stdout, stderr }, commands)
}
