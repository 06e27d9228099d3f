import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { main } from '../../admin/main.ts'
import type { Ended } from './child-process.ts'

/** A command of `npm run admin`, with a terminal and an environment of the test's own; its process is this one. */
export async function admin(
  words: string[],
  environment: Record<string, string>,
  input = '',
): Promise<Ended> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const written = Promise.all([text(stdout), text(stderr)])
  const code = await main(words, { environment, stdin: Readable.from([Buffer.from(input)]), stdout, stderr })
  stdout.end()
  stderr.end()
  const [out, err] = await written
  return { code, stdout: out, stderr: err }
}
