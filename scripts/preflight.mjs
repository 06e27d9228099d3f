import { existsSync } from 'node:fs'

/** Says what to install where the rest of the project could not even be read. Written for any Node. */
export function preflight() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 18)) {
    stop(
      `Outdial needs Node 22.18 or newer, and this is ${process.versions.node}: install Node 24 from nodejs.org, then run npm ci again.`,
    )
  }
  if (!existsSync(new URL('../node_modules/fastify', import.meta.url))) {
    stop('Outdial is not installed yet: run npm ci first.')
  }
}

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}
