import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'

const backend = path.join(import.meta.dirname, '../..')
const files = globSync('{dashboard,platform/views}/**/*.ts', { cwd: backend }).map((file) => ({
  file,
  lines: readFileSync(path.join(backend, file), 'utf8').split('\n'),
}))
const maxLineLength = 160

it("no line of markup in the code is longer than 160 characters, because Prettier doesn't wrap markup", () => {
  const longLines = files.flatMap(({ file, lines }) =>
    lines.flatMap((line, index) =>
      line.length > maxLineLength && line.includes('<') ? [`${file}:${index + 1}`] : [],
    ),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(longLines).toEqual([])
})

it('only forms.ts writes the tags of forms that post, because it adds their tokens and IDs', () => {
  const found = files.filter(({ lines }) =>
    /<form[^>]*method=["']?post|<form[^>]*method: 'post|formmethod/i.test(lines.join(' ')),
  )

  expect(found.map(({ file }) => file)).toEqual(['platform/views/forms.ts'])
})
