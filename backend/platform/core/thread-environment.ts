import { getCompileCacheDir } from 'node:module'
import path from 'node:path'

/**
 * Returns the environment variables of a thread: none of this process's, which have secrets, but its cache of compiled code.
 * Without the cache, a thread compiles all of its modules again, which takes a third of the time until it's ready.
 */
export function threadEnvironment(): Record<string, string> {
  // A folder for this version of Node, in the one that was set.
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) }
}
