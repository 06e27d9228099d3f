import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { adminProgram } from '../../admin/commands.ts'
import { main } from '../../admin/main.ts'
import type { ProcessResult } from './child-process.ts'

/**
 * Runs a command of `npm run admin` or another script in this process, with its own input, output, and environment variables.
 */
export async function admin(
  args: string[],
  environment: Record<string, string>,
  input = '',
  program = adminProgram,
): Promise<ProcessResult> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const output = Promise.all([text(stdout), text(stderr)])
  const terminal = { environment, stdin: Readable.from([Buffer.from(input)]), stdout, stderr }
  const code = await main(args, terminal, program)
  stdout.end()
  stderr.end()
  const [out, err] = await output
  return { code, stdout: out, stderr: err }
}
