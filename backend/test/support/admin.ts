import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { main } from '../../admin/main.ts'
import type { ProcessResult } from './child-process.ts'

/** A command of `npm run admin`, with a terminal and an environment of the test's own; its process is this one. */
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
