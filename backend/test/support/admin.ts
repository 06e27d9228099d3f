import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { main } from '../../admin/main.ts'
import type { ProcessResult } from './child-process.ts'

/** Runs a command of `npm run admin` in this process, with separate input, output, and environment variables. */
export async function admin(
  args: string[],
  environment: Record<string, string>,
  input = '',
): Promise<ProcessResult> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const output = Promise.all([text(stdout), text(stderr)])
  const code = await main(args, { environment, stdin: Readable.from([Buffer.from(input)]), stdout, stderr })
  stdout.end()
  stderr.end()
  const [out, err] = await output
  return { code, stdout: out, stderr: err }
}
