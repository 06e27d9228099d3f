import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** The folder in which Debian's packages have a folder for each version. These folders aren't in PATH. */
const debianFolder = '/usr/lib/postgresql'

/**
 * Returns the folder of an installed PostgreSQL, version 15 or newer, with a server and `pg_basebackup`, which the embedded
 * PostgreSQL lacks. Returns undefined if there's none: tests that need it are then skipped, or fail in CI.
 */
export function findPostgresPrograms(): string | undefined {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).map(Number) : []
  const ofDebian = versions
    .filter((version) => version >= 15)
    .sort((one, other) => other - one)
    .map((version) => path.join(debianFolder, String(version), 'bin'))
  const folders = [...ofDebian, ...(process.env.PATH ?? '').split(path.delimiter)]
  const programs = ['initdb', 'postgres', 'pg_basebackup']
  return folders.find((folder) => programs.every((program) => existsSync(path.join(folder, program))))
}
