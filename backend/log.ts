import type { WriteStream } from 'node:tty'
import pino, { type Logger, type LoggerOptions } from 'pino'
import { secondMs } from './platform/core/durations.ts'

/** Values that must not be logged: `@fastify/multipart` logs all request headers at `trace`, including the session cookie. */
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
 *
 * @param repeatMs milliseconds during which equal errors are logged once
 */
export async function createLog(
  level: string,
  output: Output = process.stdout,
  repeatMs = 10 * secondMs,
): Promise<Logger> {
  const options: LoggerOptions = { level, redact, hooks: { logMethod: createRepeatLimit(repeatMs) } }
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

/**
 * Returns a hook that logs the first of several equal errors immediately, and the others later as one line with their count.
 * During an outage, each call in progress reports the same error several times per second.
 */
function createRepeatLimit(repeatMs: number): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  const repetitions = new Map<string, { count: number; log: () => void }>()
  return function logMethod(args, method) {
    const [fields, message] = args as unknown[]
    const key = findRepeatKey(fields, message)
    if (key === undefined) {
      method.apply(this, args)
      return
    }
    const repetition = repetitions.get(key)
    if (repetition === undefined) {
      const first = { count: 0, log: () => {} }
      repetitions.set(key, first)
      setTimeout(() => {
        repetitions.delete(key)
        first.log()
      }, repeatMs).unref()
      method.apply(this, args)
      return
    }
    repetition.count += 1
    repetition.log = () =>
      method.apply(this, [{ ...(fields as object), repeated: repetition.count }, String(message)])
  }
}

/** Returns a key that equal errors share, or undefined for a line that's always logged. */
function findRepeatKey(fields: unknown, message: unknown): string | undefined {
  if (typeof fields !== 'object' || fields === null || typeof message !== 'string') return undefined
  // Internal errors are always logged, because an operator may look for the request ID of each one.
  if (message === 'internal_error' || ('code' in fields && fields.code === 'internal_error')) return undefined
  const error = 'error' in fields ? fields.error : 'reason' in fields ? fields.reason : undefined
  if (error === undefined) return undefined
  return JSON.stringify([message, error], ['name', 'message', 'code'])
}
