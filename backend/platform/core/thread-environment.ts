import { getCompileCacheDir } from 'node:module'
import path from 'node:path'

/**
 * Returns the environment variables of a thread: only the folder of Node's compile cache, because other variables contain
 * secrets. Without the cache, a thread compiles its modules again, which takes a third of its startup time.
 */
export function threadEnvironment(): Record<string, string> {
  // Node returns a subfolder for its version. NODE_COMPILE_CACHE is the folder above it.
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) }
}
