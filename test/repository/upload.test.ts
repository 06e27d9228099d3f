import { readdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from '@jest/globals'
import { useTestFolder } from '../../backend/test/support/folder.ts'
import app from '../../index.ts'
import { buildSourcePackage, writeSourcePackage } from '../../scripts/upload/source-package.ts'

// `npm run build:upload`, which .ci/run runs, does the same with the files that it unpacks from source.zip.
const folder = useTestFolder()

it('uploads sources that build the connector in a folder of their own, with only the packages that they declare', async () => {
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
    'scripts',
    'src',
    'tsconfig.json',
  ])
  const built = (await import(pathToFileURL(path.join(folder.path, 'dist/index.js')).href)) as {
    default: unknown
  }
  expect(JSON.parse(JSON.stringify(built.default))).toEqual(JSON.parse(JSON.stringify(app)))
}, 60_000)
