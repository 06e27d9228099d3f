import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from '@jest/globals'
import { useTestFolder } from '../../backend/test/support/folder.ts'
import app from '../../index.ts'
import { buildSourcePackage, writeSourcePackage } from '../../scripts/upload/source-package.ts'

// These tests check the sources before they're packed. `npm run build:upload`, which .ci/run runs, builds from source.zip.
const root = path.resolve(import.meta.dirname, '../..')
const folder = useTestFolder()

it('the uploaded sources build the same connector in another folder, with only the packages that they declare', async () => {
  await writeSourcePackage(folder.path)
  const files = readdirSync(folder.path)
  await buildSourcePackage(folder.path)

  expect(files.sort()).toEqual([
    '.gitignore',
    '.zapierapprc',
    'contract',
    'index.ts',
    'package-lock.json',
    'package.json',
    'reading',
    'scripts',
    'src',
    'tsconfig.json',
  ])
  const built = (await import(pathToFileURL(path.join(folder.path, 'dist/index.js')).href)) as {
    default: unknown
  }
  expect(JSON.parse(JSON.stringify(built.default))).toEqual(JSON.parse(JSON.stringify(app)))
}, 60_000)

it('the connector loads without creating an Intl object, which would take longer than everything else', () => {
  const program = `
    await import('zapier-platform-core')
    const names = Object.getOwnPropertyNames(Intl).filter((name) => typeof Intl[name] === 'function')
    for (const name of names) Intl[name] = function () { throw new Error('Intl.' + name + ' while loading') }
    console.log(typeof (await import('${pathToFileURL(path.join(root, 'index.ts')).href}')).default)
  `
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
  })
  expect(output).toBe('object\n')
})
