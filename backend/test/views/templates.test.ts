import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'

const backend = path.join(import.meta.dirname, '../..')
const templates = globSync('{dashboard,views}/**/*.eta', { cwd: backend })
const maxLineLength = 160

it('has no line over 160 characters', () => {
  const longLines = templates.flatMap((template) =>
    readFileSync(path.join(backend, template), 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.length > maxLineLength ? [`${template}:${index + 1}`] : [])),
  )
  expect(templates.length).toBeGreaterThan(50)
  expect(longLines).toEqual([])
})
