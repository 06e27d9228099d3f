import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import semver from 'semver'
import { releaseChangelog } from './release/changelog.ts'
import { findNewerCore } from './release/newer-core.ts'
import { readVersion, writeVersion } from './release/versions.ts'

// `npm run release -- 1.1.0 [--dry-run]` runs all checks, commits the version and the changelog, and creates a tag.
const usage = 'Usage: npm run release -- 1.1.0 [--dry-run]'

/** A reason why the version can't be released. Only the message is shown, without a stack. */
class ReleaseError extends Error {}

function git(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', words, { encoding: 'utf8' })
  if (status !== 0) throw new ReleaseError(`git ${words[0]} failed: ${stderr.trim()}`)
  return stdout.trim()
}

function npm(...words: string[]): void {
  const { status } = spawnSync('npm', words, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) throw new ReleaseError(`npm ${words.join(' ')} failed. Nothing was released.`)
}

function readArguments(): { version: string; isDryRun: boolean } {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [version, ...rest] = positionals
  if (version === undefined || rest.length > 0) throw new ReleaseError(usage)
  if (semver.valid(version) !== version) throw new ReleaseError(`${version} isn't a version. ${usage}`)
  return { version, isDryRun: values['dry-run'] }
}

function checkTree(): void {
  if (git('status', '--porcelain') !== '')
    throw new ReleaseError('There are uncommitted changes. Commit them first.')
}

/** Checks that this version can be released. Returns the changelog with the version's entry. */
function checkRepository(version: string, tag: string): string {
  checkTree()
  const branch = git('branch', '--show-current')
  if (branch !== 'main')
    throw new ReleaseError(`Releases are made on main, but the current branch is ${branch || 'unknown'}.`)
  if (git('tag', '--list', tag) !== '') throw new ReleaseError(`The tag ${tag} already exists.`)
  // The versions are equal for the first release, because package.json already has its version.
  const current = readVersion()
  if (semver.lt(version, current))
    throw new ReleaseError(`${version} is older than ${current} in package.json.`)
  const today = new Date().toISOString().slice(0, 10)
  const changelog = releaseChangelog(readFileSync('CHANGELOG.md', 'utf8'), version, today)
  if (changelog === undefined) throw new ReleaseError('CHANGELOG.md has nothing under "## Unreleased".')
  return changelog
}

function release(): void {
  const { version, isDryRun } = readArguments()
  const tag = `v${version}`
  const changelog = checkRepository(version, tag)
  const warning = findNewerCore()
  if (warning !== undefined) console.warn(`Warning: ${warning}`)
  npm('run', 'check')
  npm('test')
  checkTree()
  if (isDryRun) {
    console.log(`\nDry run: everything passed. Without --dry-run, this commits the version and tags ${tag}.`)
    return
  }
  try {
    writeVersion(version)
    writeFileSync('CHANGELOG.md', changelog)
    // Some generated files contain the version.
    npm('run', 'generate')
    git('commit', '--all', '--message', `release: ${version}`)
  } catch (error) {
    git('restore', '--staged', '--worktree', '.')
    throw error
  }
  git('tag', '--annotate', tag, '--message', `Outdial ${version}`)
  console.log(`\nReleased ${version} as ${tag}. Publish it: git push --follow-tags`)
}

try {
  release()
} catch (error) {
  const isExpected =
    error instanceof ReleaseError || (error as { code?: unknown }).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
  console.error(isExpected ? (error as Error).message : error)
  process.exitCode = 1
}
