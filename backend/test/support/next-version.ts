import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generateFunctionVersion } from '../../../scripts/function-version.ts'
import { projectRoot } from './embedded-database-process.ts'

/** A simulated later version of the service, in a separate folder. */
export interface NextVersion {
  root: string
  /** The names of the later version's additional migrations. */
  migrations: string[]
  remove(): Promise<void>
}

/**
 * Copies the service to a folder, and adds migrations and SQL functions to the copy. The keys of `functions` are file names.
 */
export async function createNextVersion(
  statements: readonly string[],
  functions: Record<string, string> = {},
): Promise<NextVersion> {
  const root = await mkdtemp(path.join(tmpdir(), 'outdial-next-version-'))
  await cp(path.join(projectRoot, 'package.json'), path.join(root, 'package.json'))
  for (const folder of ['contract', 'scripts'])
    await cp(path.join(projectRoot, folder), path.join(root, folder), { recursive: true })
  await mkdir(path.join(root, 'backend'))
  for (const name of await readdir(path.join(projectRoot, 'backend'))) {
    const [from, to] = [path.join(projectRoot, 'backend', name), path.join(root, 'backend', name)]
    if (name === 'node_modules') await symlink(from, to)
    else if (name !== 'test') await cp(from, to, { recursive: true })
  }
  await symlink(path.join(projectRoot, 'node_modules'), path.join(root, 'node_modules'))
  const migrations = statements.map((_, index) => `${9000 + index}_next_version`)
  const folder = path.join(root, 'backend/platform/db/migrations')
  for (const [index, name] of migrations.entries())
    await writeFile(path.join(folder, `${name}.sql`), `${statements[index]};\n`)
  const functionsFolder = path.join(root, 'backend/platform/db/functions')
  for (const [name, text] of Object.entries(functions))
    await writeFile(path.join(functionsFolder, `${name}.sql`), text)
  await writeFile(path.join(functionsFolder, 'version.json'), await generateFunctionVersion(functionsFolder))
  return { root, migrations, remove: () => rm(root, { recursive: true }) }
}
