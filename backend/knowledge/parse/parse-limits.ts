const megabyte = 1024 * 1024

/** What reading one file may take. docs/decisions/0012 tells how they hold. */
export const limits = {
  /** Bytes of the file. */
  file: 20 * megabyte,
  /** Bytes that all parts of a packed file may inflate to. */
  inflated: 24 * megabyte,
  /** Entries of a packed file. */
  entries: 10_000,
  /** Characters of its text: what a document may have. */
  text: 200_000,
  /** Milliseconds. */
  time: 20_000,
  /** Megabytes of JavaScript objects. */
  heap: 192,
  /** Bytes of the whole process, buffers included. */
  memory: 512 * megabyte,
  /** Files that are read at once, and those that wait for it. */
  atOnce: 2,
  waiting: 6,
} as const
