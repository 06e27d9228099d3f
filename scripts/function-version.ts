import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import {
  functionsFolder,
  type FunctionVersion,
  readFunctionVersion,
} from '../backend/platform/db/apply-functions.ts'

export const functionVersionFile = path.join(functionsFolder, 'version.json')

/** Returns the new content of `version.json`. Increases the version if a file was added, changed, or removed. */
export async function generateFunctionVersion(folder = functionsFolder): Promise<string> {
  const recorded = await readFunctionVersion(folder)
  const hashes: FunctionVersion['hashes'] = {}
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()) {
    const text = await readFile(path.join(folder, file))
    hashes[path.parse(file).name] = createHash('sha256').update(text).digest('hex')
  }
  const isSame = JSON.stringify(hashes) === JSON.stringify(recorded.hashes)
  const version = isSame ? recorded.version : recorded.version + 1
  return `${JSON.stringify({ version, hashes }, null, 2)}\n`
}
