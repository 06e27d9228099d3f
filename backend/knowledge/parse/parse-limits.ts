import { secondMs } from '../../core/durations.ts'
const megabyte = 1024 * 1024

/** What reading one file may take. docs/decisions/0012 tells how they hold. */
export const parseLimits = {
  /** Bytes of the file. */
  maxFileBytes: 20 * megabyte,
  /** Bytes that all parts of a packed file may inflate to. */
  maxInflatedBytes: 24 * megabyte,
  /** Entries of a packed file. */
  maxEntries: 10_000,
  /** Characters of its text: what a document may have. */
  maxTextLength: 200_000,
  /** Milliseconds. */
  timeoutMs: 20 * secondMs,
  /** Megabytes of JavaScript objects. */
  maxHeapMegabytes: 192,
  /** Bytes of the whole process, buffers included. */
  maxMemoryBytes: 512 * megabyte,
  /** Files that are read at once, and those that wait for it. */
  concurrency: 2,
  maxWaiting: 6,
} as const
