import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import semver from 'semver'

const core = 'zapier-platform-core'

/**
 * Returns a warning if npm has a newer zapier-platform-core than package.json. Zapier's check D027 requires the newest version.
 * It's only a warning, because a new version must first be tested.
 *
 * @param readNewest returns the newest version, or undefined if npm can't be reached
 */
export function findNewerCore(readNewest: () => string | undefined = readFromNpm): string | undefined {
  const { dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies?: Record<string, string>
  }
  const current = dependencies[core]
  if (current === undefined) return undefined
  const newest = readNewest()
  if (newest === undefined) return `Couldn't check if there's a newer version of ${core}.`
  if (!semver.gt(newest, current)) return undefined
  return `${core} ${newest} is available, and this release uses ${current}. Zapier's check D027 warns about that.`
}

function readFromNpm(): string | undefined {
  const { status, stdout } = spawnSync('npm', ['view', core, 'version'], {
    encoding: 'utf8',
    timeout: 20_000,
    shell: process.platform === 'win32',
  })
  return status === 0 ? (semver.valid(stdout.trim()) ?? undefined) : undefined
}
