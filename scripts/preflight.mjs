import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'

/** Node's compile cache, which halves the time to load the sources. By default, it's in /tmp, where other users can write. */
export const compileCache = fileURLToPath(new URL('../node_modules/.cache/outdial', import.meta.url))

/** Exits with instructions if the project can't be loaded. This function must run on every version of Node. */
export function preflight() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 19)) {
    stop(
      `Outdial needs Node 22.19 or newer, but this is ${process.versions.node}. Install Node 24 from nodejs.org, then run npm ci again.`,
    )
  }
  if (!existsSync(new URL('../node_modules/fastify', import.meta.url))) {
    stop("Outdial isn't installed yet. Run npm ci first.")
  }
  // Without a listener, this signal opens Node's inspector, which can run any code. The process that reads uploaded files could
  // send the signal.
  process.on('SIGUSR1', () => {})
  nodeModule.enableCompileCache?.(compileCache)
}

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}
