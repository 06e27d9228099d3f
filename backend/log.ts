import type { WriteStream } from 'node:tty'
import pino, { type Logger } from 'pino'

/** `@fastify/multipart` logs all request headers at `trace`, the session cookie included. */
const redact = [
  'busboyOptions',
  'headers.cookie',
  'headers.authorization',
  '*.headers.cookie',
  '*.headers.authorization',
]

type Output = Pick<NodeJS.WritableStream, 'write'> & Partial<Pick<WriteStream, 'isTTY'>>

/**
 * Creates a logger that writes readable lines to a terminal, and one JSON object per line to anything else.
 */
export async function createLog(level: string, output: Output = process.stdout): Promise<Logger> {
  const options = { level, redact }
  if (!output.isTTY) return output === process.stdout ? pino(options) : pino(options, output)
  // Imported only here, because servers don't need it.
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({
    colorize: !process.env.NO_COLOR,
    ignore: 'pid,hostname',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
  })
  // pino-pretty's own stream is asynchronous, so the last lines before process.exit would be lost.
  return pino(options, { write: (line: string) => output.write(format(line)) })
}
