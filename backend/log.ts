import type { WriteStream } from 'node:tty'
import pino, { type Logger } from 'pino'

type Output = Pick<NodeJS.WritableStream, 'write'> & Partial<Pick<WriteStream, 'isTTY'>>

/**
 * Creates a logger that writes readable lines to a terminal, and one JSON object per line to anything else.
 */
export async function createLog(level: string, output: Output = process.stdout): Promise<Logger> {
  if (!output.isTTY) return output === process.stdout ? pino({ level }) : pino({ level }, output)
  // Imported only here, because servers don't need it.
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({
    colorize: !process.env.NO_COLOR,
    ignore: 'pid,hostname',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
  })
  // pino-pretty's own stream is asynchronous, so the last lines before process.exit would be lost.
  return pino({ level }, { write: (line: string) => output.write(format(line)) })
}
