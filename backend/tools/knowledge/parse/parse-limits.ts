import { secondMs } from '../../../platform/core/durations.ts'
const megabyte = 1024 * 1024

/** Limits for reading one file. docs/decisions/0012-files-read-in-a-separate-process.md explains how they are enforced. */
export const parseLimits = {
  /** Maximum size of the file. */
  maxFileBytes: 20 * megabyte,
  /** Maximum total size of all parts of an archive after decompression. */
  maxInflatedBytes: 24 * megabyte,
  /** Maximum entries of an archive. */
  maxEntries: 10_000,
  /** Maximum characters of the text, the same as for a document. */
  maxTextLength: 200_000,
  timeoutMs: 20 * secondMs,
  /** Maximum memory for JavaScript objects. */
  maxHeapMegabytes: 192,
  /** Maximum memory of the whole process, including buffers. */
  maxMemoryBytes: 512 * megabyte,
  /** A plain text file up to this size is read directly, which takes milliseconds. */
  maxDirectTextBytes: megabyte,
  /** How many files are read at the same time, and how many wait. Workspaces take turns. */
  queue: { concurrency: 2, runningPerWorkspace: 1, waitingPerWorkspace: 2, maxWaiting: 20 },
} as const
