/** A server sends more than anybody can use. */
export class TooLargeError extends Error {
  override name = 'TooLargeError'
}

const newline = 0x0a
const carriageReturn = 0x0d

/**
 * Passes a stream on, and fails with TooLargeError after `maxBytes` of it. Of an event stream each event is counted
 * by itself, up to its empty line: it may go on for ever.
 */
export function limitBytes(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  isEventStream: boolean,
): ReadableStream<Uint8Array> {
  let bytes = 0
  let isLineEmpty = true
  const count = (length: number) => {
    bytes += length
    if (bytes > maxBytes) throw new TooLargeError()
  }
  const countEventBytes = (chunk: Uint8Array) => {
    for (const byte of chunk) {
      count(1)
      if (byte === newline && isLineEmpty) bytes = 0
      if (byte !== carriageReturn) isLineEmpty = byte === newline
    }
  }
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      if (isEventStream) countEventBytes(chunk)
      else count(chunk.length)
      controller.enqueue(chunk)
    },
  })
  return stream.pipeThrough(limit)
}
