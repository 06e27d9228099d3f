import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'

const root = path.resolve(import.meta.dirname, '../..')
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/path.md'].concat(
  readdirSync(path.join(root, 'docs/decisions')).map((file) => `docs/decisions/${file}`),
)

/** Code spans that name a file of the project: `calls/queue-call.ts`. Those with a placeholder are no files. */
const filesNamedIn = (text: string): string[] =>
  [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\.(?:ts|mjs|cjs|sql|eta))(?::\d+)?`/g)].map(
    ([, file]) => file ?? '',
  )

it.each(pages)('%s names only files that exist', (page) => {
  const files = filesNamedIn(readFileSync(path.join(root, page), 'utf8'))
  const folders = ['', 'backend', 'docs', path.dirname(page)]
  const missing = files.filter((file) => !folders.some((folder) => existsSync(path.join(root, folder, file))))
  expect(missing).toEqual([])
})
