import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** Debian's packages have a folder for each version, which isn't in PATH. */
const debianFolder = '/usr/lib/postgresql'

/**
 * Returns the folder of an installed PostgreSQL, version 15 or newer, that has a server and `pg_basebackup`. The embedded
 * one lacks `pg_basebackup`. Undefined if there's none: then tests that need it are skipped, and in CI, they fail.
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
