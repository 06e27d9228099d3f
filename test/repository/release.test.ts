import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { version } from 'zapier-platform-core'
import { releaseChangelog } from '../../scripts/release/changelog.ts'
import { findNewerCore } from '../../scripts/release/newer-core.ts'

const script = path.resolve(import.meta.dirname, '../../scripts/release.ts')
let home: string
let folder: string
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'outdial-release-'))
  folder = path.join(home, 'repository')
  mkdirSync(path.join(folder, 'backend'), { recursive: true })
  writeJson('package.json', {
    name: 'example',
    version: '1.0.0',
    workspaces: ['backend'],
    scripts: {
      check: 'node fake.cjs check',
      test: 'node fake.cjs test',
      generate: 'node fake.cjs generate',
    },
  })
  writeJson('backend/package.json', { name: '@example/backend', version: '1.0.0' })
  writeJson('package-lock.json', {
    version: '1.0.0',
    packages: {
      '': { version: '1.0.0' },
      backend: { version: '1.0.0' },
      'node_modules/other': { version: '1.0.0' },
    },
  })
  // A fake command for all scripts. It records each run, fails if the test asks for it, and generates a file with the version.
  write(
    'fake.cjs',
    `const fs = require('node:fs')
const name = process.argv[2]
fs.appendFileSync('../ran.txt', name + '\\n')
if (fs.existsSync('../fail-' + name)) process.exit(1)
if (name === 'generate') fs.writeFileSync('generated.txt', JSON.parse(fs.readFileSync('package.json')).version)`,
  )
  write('generated.txt', '1.0.0')
  write(
    'CHANGELOG.md',
    '# Changelog\n\n## Unreleased\n\n- New: a thing.\n\n## 1.0.0 (2026-01-02)\n\n- First.\n',
  )
  git('init', '--quiet', '--initial-branch=main')
  commitAll()
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
const writeJson = (name: string, value: unknown) => write(name, `${JSON.stringify(value, null, 2)}\n`)
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')

const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Robin',
  GIT_AUTHOR_EMAIL: 'robin@example.com',
  GIT_COMMITTER_NAME: 'Robin',
  GIT_COMMITTER_EMAIL: 'robin@example.com',
}

function git(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', words, { cwd: folder, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout.trim()
}

function commitAll() {
  git('add', '--all')
  git('commit', '--quiet', '--message', 'example')
}

const release = (...words: string[]) =>
  spawnSync(process.execPath, [script, ...words], { cwd: folder, env, encoding: 'utf8' })

const ran = () =>
  existsSync(path.join(home, 'ran.txt')) ? readFileSync(path.join(home, 'ran.txt'), 'utf8') : ''

it('a release runs the checks and tests, updates the changelog, commits the version, and tags that commit', () => {
  expect(release('1.1.0').status).toBe(0)
  expect(ran()).toBe('check\ntest\ngenerate\n')
  expect(git('log', '-1', '--format=%s')).toBe('release: 1.1.0')
  expect(git('rev-parse', 'v1.1.0^{commit}')).toBe(git('rev-parse', 'HEAD'))
  expect(git('cat-file', '-t', 'v1.1.0')).toBe('tag')
  expect(git('status', '--porcelain')).toBe('')

  for (const name of ['package.json', 'backend/package.json'])
    expect(read(name)).toContain('"version": "1.1.0"')
  expect(JSON.parse(read('package-lock.json'))).toEqual({
    version: '1.1.0',
    packages: {
      '': { version: '1.1.0' },
      backend: { version: '1.1.0' },
      'node_modules/other': { version: '1.0.0' },
    },
  })
  expect(read('generated.txt')).toBe('1.1.0')
  expect(read('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## Unreleased\n\n## 1\.1\.0 \(\d{4}-\d\d-\d\d\)\n\n- New: a thing\.\n\n## 1\.0\.0 \(2026-01-02\)\n\n- First\.\n$/,
  )
})

it('releases the version in package.json if that version has no tag yet', () => {
  expect(release('1.0.0').status).toBe(0)
  expect(git('tag', '--list')).toBe('v1.0.0')
})

it('with --dry-run, runs the checks and tests, but changes nothing', () => {
  const before = git('rev-parse', 'HEAD')
  const { status, stdout } = release('1.1.0', '--dry-run')
  expect(status).toBe(0)
  expect(stdout).toContain('Dry run')
  expect(ran()).toBe('check\ntest\n')
  expect([git('rev-parse', 'HEAD'), git('tag', '--list'), git('status', '--porcelain')]).toEqual([
    before,
    '',
    '',
  ])
})

it.each([
  ['uncommitted changes', () => write('new.txt', ''), /uncommitted changes/, ''],
  [
    'another branch than main',
    () => git('switch', '--quiet', '--create', 'topic'),
    /on main, but the current branch is topic/,
    '',
  ],
  ['a tag that exists', () => git('tag', 'v1.1.0'), /v1\.1\.0 already exists/, ''],
  [
    'an empty changelog',
    () => {
      write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## 1.0.0 (2026-01-02)\n\n- First.\n')
      commitAll()
    },
    /nothing under "## Unreleased"/,
    '',
  ],
  [
    'a failed check',
    () => writeFileSync(path.join(home, 'fail-check'), ''),
    /npm run check failed/,
    'check\n',
  ],
  [
    'a failed test',
    () => writeFileSync(path.join(home, 'fail-test'), ''),
    /npm test failed/,
    'check\ntest\n',
  ],
  [
    'a failed generator',
    () => writeFileSync(path.join(home, 'fail-generate'), ''),
    /npm run generate failed/,
    'check\ntest\ngenerate\n',
  ],
])('rejects a release because of %s, and changes nothing', (_name, prepare, reason, commands) => {
  prepare()
  const state = () => [git('rev-parse', 'HEAD'), git('tag', '--list'), git('status', '--porcelain')]
  const before = state()
  const { status, stderr } = release('1.1.0')
  expect(status).toBe(1)
  expect(stderr).toMatch(reason)
  expect(stderr).not.toContain('    at ')
  expect(ran()).toBe(commands)
  expect(state()).toEqual(before)
})

it.each([
  [[], /^Usage: /],
  [['next'], /^next isn't a version/],
  [['0.9.0'], /^0\.9\.0 is older than 1\.0\.0/],
  [['1.1.0', '--force'], /--force/],
])('explains what is wrong with the arguments %j', (words, reason) => {
  const { status, stderr } = release(...words)
  expect(status).toBe(1)
  expect(stderr).toMatch(reason)
  expect(stderr).not.toContain('    at ')
})

it("a release moves any unreleased entries of this project's changelog to the new version", () => {
  const changelog = readFileSync(path.resolve(import.meta.dirname, '../../CHANGELOG.md'), 'utf8')
  expect(changelog).toContain('\n## Unreleased\n')
  const released = releaseChangelog(changelog, '9.9.9', '2026-01-02')
  if (released !== undefined) expect(releaseChangelog(released, '9.9.10', '2026-01-03')).toBeUndefined()
})

it('D027: warns if npm has a newer version of zapier-platform-core', () => {
  expect(findNewerCore(() => '99.0.0')).toMatch(/99\.0\.0 is available/)
  expect(findNewerCore(() => version)).toBeUndefined()
  expect(findNewerCore(() => undefined)).toMatch(/Couldn't check/)
})
