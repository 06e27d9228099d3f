import { readFileSync, writeFileSync } from 'node:fs'

interface Manifest {
  version: string
  workspaces?: string[]
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
const write = (file: string, content: unknown) => writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)

export const readVersion = (): string => (read('package.json') as Manifest).version

/** Writes the version to package.json, the package.json of each workspace, and the lock file. */
export function writeVersion(version: string): void {
  const { workspaces = [] } = read('package.json') as Manifest
  const lock = read('package-lock.json') as { version: string; packages: Record<string, Manifest> }
  lock.version = version
  for (const folder of ['', ...workspaces]) {
    const file = folder === '' ? 'package.json' : `${folder}/package.json`
    write(file, { ...(read(file) as Manifest), version })
    const locked = lock.packages[folder]
    if (locked === undefined) throw new Error(`package-lock.json doesn't list ${file}.`)
    locked.version = version
  }
  write('package-lock.json', lock)
}
