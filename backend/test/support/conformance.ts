import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { it } from '@jest/globals'

const packages = new URL('../../../conformance/node_modules/', import.meta.url)

/** Returns the path of a program of the official MCP tools. These large packages are installed separately, in conformance/. */
export const conformanceProgram = (file: string): string =>
  fileURLToPath(new URL(`@modelcontextprotocol/${file}`, packages))

/** Registers a test that needs the programs. On a machine without them, it's skipped; in CI, it fails. */
export const itWithConformance = existsSync(packages) || process.env.CI === 'true' ? it : it.skip
