import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'

export const functionsFolder = fileURLToPath(new URL('functions', import.meta.url))

/** The SQL functions of one version of Outdial. */
export interface FunctionSet {
  /** Increases when a file changes. `npm run generate` writes it. */
  version: number
  /** By the file's name without `.sql`, in the order of the names. */
  files: Map<string, FunctionFile>
}

interface FunctionFile {
  /** Creates or replaces a function, the functions that only it uses, and its triggers. */
  text: string
  /** SHA-256, as hex. */
  hash: string
}

/** Reads the functions in `functions/`, with the version in `version.json`. */
export async function readFunctions(folder = functionsFolder): Promise<FunctionSet> {
  const files = new Map<string, FunctionFile>()
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()) {
    const text = await readFile(path.join(folder, file), 'utf8')
    files.set(path.parse(file).name, { text, hash: createHash('sha256').update(text).digest('hex') })
  }
  const { version } = JSON.parse(await readFile(path.join(folder, 'version.json'), 'utf8')) as {
    version: number
  }
  return { version, files }
}

/**
 * Creates or replaces the functions that differ from those in the database, in one transaction. Does nothing if the
 * database has functions of this version or of a later one: while versions run side by side, a process of the earlier one
 * must not put its text back. Call it on a connection that no other process migrates the database beside.
 */
export async function applyFunctions(
  client: Pick<pg.ClientBase, 'query'>,
  { version, files }: FunctionSet,
): Promise<void> {
  const applied = await client.query<{ name: string; hash: string; version: number }>(
    'select name, hash, version from schema_function',
  )
  if (applied.rows.some((row) => row.version >= version)) return
  const hashes = new Map(applied.rows.map(({ name, hash }) => [name, hash]))
  await client.query('begin')
  try {
    for (const [name, { text, hash }] of files) {
      if (hashes.get(name) !== hash) await client.query(text)
      await client.query(
        `insert into schema_function (name, hash, version) values ($1, $2, $3)
         on conflict (name) do update set hash = excluded.hash, version = excluded.version`,
        [name, hash, version],
      )
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
