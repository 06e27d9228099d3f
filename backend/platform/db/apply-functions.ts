import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'

/**
 * The folder of the SQL functions of this version. Each file creates or replaces one function, with its helper functions
 * and triggers.
 */
export const functionsFolder = fileURLToPath(new URL('functions', import.meta.url))

/** The version of the database functions, which `npm run generate` writes. */
export interface FunctionVersion {
  /** Increases when a file changes. */
  version: number
  /** The SHA-256 of each file, as hex, by its name without `.sql`. */
  hashes: Record<string, string>
}

export const readFunctionVersion = async (folder = functionsFolder): Promise<FunctionVersion> =>
  JSON.parse(await readFile(path.join(folder, 'version.json'), 'utf8')) as FunctionVersion

/**
 * Creates or replaces the functions that differ from those in the database, in one transaction. Does nothing if the
 * database has functions of this version or of a later one: while versions run side by side, a process of the earlier
 * version must not restore its functions. Call it while no other process can update the database.
 */
export async function applyFunctions(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { version, hashes } = await readFunctionVersion()
  const applied = await client.query<{ name: string; hash: string; version: number }>(
    'select name, hash, version from schema_function',
  )
  if (applied.rows.some((row) => row.version >= version)) return
  const appliedHashes = new Map(applied.rows.map(({ name, hash }) => [name, hash]))
  await client.query('begin')
  try {
    for (const [name, hash] of Object.entries(hashes)) {
      if (appliedHashes.get(name) !== hash)
        await client.query(await readFile(path.join(functionsFolder, `${name}.sql`), 'utf8'))
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
