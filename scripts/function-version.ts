import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { functionsFolder, readFunctions } from '../backend/db/apply-functions.ts'

export const functionVersionFile = path.join(functionsFolder, 'version.json')

interface FunctionVersion {
  version: number
  /** SHA-256 of each file with this version. */
  hashes: Record<string, string>
}

/** Returns `version.json` for the files as they are now: a higher version if one was added, changed, or removed. */
export async function generateFunctionVersion(): Promise<string> {
  const recorded = JSON.parse(await readFile(functionVersionFile, 'utf8')) as FunctionVersion
  const { files } = await readFunctions()
  const hashes = Object.fromEntries([...files].map(([name, { hash }]) => [name, hash]))
  const isSame = JSON.stringify(hashes) === JSON.stringify(recorded.hashes)
  const version = isSame ? recorded.version : recorded.version + 1
  return `${JSON.stringify({ version, hashes }, null, 2)}\n`
}
