import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'outdial-env-'))
  mkdirSync(path.join(folder, 'scripts'))
  cpSync(
    path.resolve(import.meta.dirname, '../../scripts/load-env-file.mjs'),
    path.join(folder, 'scripts/load-env-file.mjs'),
  )
  writeFileSync(path.join(folder, '.env'), 'PORT=9001\nHOST=0.0.0.0\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function portAndHost(environment: Record<string, string>): string {
  const source = `import { loadEnvFile } from './scripts/load-env-file.mjs'
    loadEnvFile()
    console.log(process.env.PORT, process.env.HOST)`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', source], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  }).trim()
}

const underNpm = { npm_package_json: 'package.json', npm_lifecycle_event: 'start' }

it.each(['start', 'dev', 'admin', 'support', 'demo'])(
  'under the npm script %s, reads .env, but keeps variables that are already set',
  (script) => {
    const environment = { ...underNpm, npm_lifecycle_event: script, HOST: '127.0.0.1' }
    expect(portAndHost(environment)).toBe('9001 127.0.0.1')
  },
)

it("doesn't read .env in tests or without npm", () => {
  expect(portAndHost({ ...underNpm, npm_lifecycle_event: 'test' })).toBe('undefined undefined')
  expect(portAndHost({})).toBe('undefined undefined')
})

it('does not fail if .env is missing', () => {
  rmSync(path.join(folder, '.env'))
  expect(portAndHost(underNpm)).toBe('undefined undefined')
})
