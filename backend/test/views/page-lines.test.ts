import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'

const backend = path.join(import.meta.dirname, '../..')
const pages = globSync('{dashboard,views}/**/*.ts', { cwd: backend })
const maxLineLength = 160

it('has no line of markup over 160 characters, which Prettier leaves as it is', () => {
  const longLines = pages.flatMap((page) =>
    readFileSync(path.join(backend, page), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        line.length > maxLineLength && line.includes('<') ? [`${page}:${index + 1}`] : [],
      ),
  )
  expect(pages.length).toBeGreaterThan(100)
  expect(longLines).toEqual([])
})
