import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeError } from '../../platform/core/errors.ts'
import { pageHeaders } from '../../platform/views/page-headers.ts'
import { toPageError } from './page-errors.ts'
import type { PageModel } from './page-model.ts'

/** A message to the script of a page. Its markup comes from the same functions as the page's. */
export interface StreamedPart {
  type: string
  html?: string
  text?: string
  /** The ID of the element that the markup replaces. */
  target?: string
}

/** The page and the signal that a form gets to stream its progress. */
export interface StreamFrame {
  page: PageModel
  /** Aborts when the browser has closed the connection. */
  signal: AbortSignal
}

/** Returns true if the page's script sent the form. The script shows the work while it's in progress. */
export const wantsStream = ({ headers }: FastifyRequest): boolean => headers.accept === 'text/event-stream'

interface StreamOptions {
  /** Throws if the user has lost the right to see more. */
  confirm: () => Promise<unknown>
  /** Does the form's work. All parts are read, even after the browser has closed the connection. */
  work: (signal: AbortSignal) => AsyncGenerator<StreamedPart, void>
}

/**
 * Sends the parts of a form's work as server-sent events, each as soon as it's ready. Throws an error that occurs before the
 * first part, so that the page shows it as usual.
 */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { confirm, work }: StreamOptions,
): Promise<FastifyReply> {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const parts = work(gone.signal)
  let step = await parts.next()
  const stream = new PassThrough()
  void reply.headers(streamHeaders).send(stream)
  const write = (part: StreamedPart) => {
    if (!gone.signal.aborted && !stream.destroyed) stream.write(`data: ${JSON.stringify(part)}\n\n`)
  }
  try {
    for (; step.done !== true; step = await parts.next()) {
      // Text comes many times a second, so rights are confirmed only for the other parts.
      if (step.value.type !== 'text' && !gone.signal.aborted) await confirm().catch(() => gone.abort())
      write(step.value)
    }
  } catch (error) {
    const { status, message } = toPageError(error)
    if (status >= 500) request.log.error({ error: describeError(error) }, 'failed to stream a form')
    write({ type: 'failed', text: status >= 500 ? unexpected : message })
  }
  if (gone.signal.aborted) stream.destroy()
  else stream.end()
  return reply
}

const unexpected = 'Something went wrong on our side. Reload the page to see what was saved.'

const streamHeaders = {
  ...pageHeaders(),
  'content-type': 'text/event-stream; charset=utf-8',
  // Keeps proxies from compressing or buffering the response, which would delay the text.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}
