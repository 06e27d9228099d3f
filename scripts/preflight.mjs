import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'

/** Halves the time that reading the sources takes. Not in the default place, /tmp, where others may write. */
export const compileCache = fileURLToPath(new URL('../node_modules/.cache/outdial', import.meta.url))

/** Says what to install where the rest of the project could not even be read. Written for any Node. */
export function preflight() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 19)) {
    stop(
      `Outdial needs Node 22.19 or newer, and this is ${process.versions.node}: install Node 24 from nodejs.org, then run npm ci again.`,
    )
  }
  if (!existsSync(new URL('../node_modules/fastify', import.meta.url))) {
    stop('Outdial is not installed yet: run npm ci first.')
  }
  nodeModule.enableCompileCache?.(compileCache)
}

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}
