import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'

/** Halves the time to load the sources. It isn't in the default folder, /tmp, because other users can write there. */
export const compileCache = fileURLToPath(new URL('../node_modules/.cache/outdial', import.meta.url))

/** Stops with instructions if the rest of the project couldn't even be loaded. Must run on any version of Node. */
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
  // Otherwise, this signal opens Node's inspector, which runs any code. The process that reads uploaded files could send it.
  process.on('SIGUSR1', () => {})
  nodeModule.enableCompileCache?.(compileCache)
}

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}
