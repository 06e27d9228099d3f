import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { readPage, root } from '../support/docs.ts'

it('names only files that exist', () => {
  const files = [...readPage('SECURITY.md').matchAll(/`(backend\/[^`]+)`/g)].map(([, file = '']) => file)
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
})
