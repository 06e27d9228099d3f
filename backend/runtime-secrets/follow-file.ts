import { unwatchFile, watchFile } from 'node:fs'

/** Milliseconds between two looks. */
const pollIntervalMs = 1_000

/**
 * Does something now and after each change of a file, once at a time. It looks again and again instead of being told: secrets
 * are mounted as links to folders that are exchanged, and no file system tells of that alike.
 */
export function watchSecretFile(file: string, onChanged: () => Promise<void>): { stop(): void } {
  let queue = Promise.resolve()
  const listener = () => {
    queue = queue.then(onChanged)
  }
  watchFile(file, { interval: pollIntervalMs, persistent: false }, listener)
  // It may have changed between its first reading and now.
  listener()
  return { stop: () => unwatchFile(file, listener) }
}
