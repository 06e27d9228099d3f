import { readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import * as z from 'zod'
import { Environment, parseConfig } from '../../backend/config.ts'

const shape: Record<string, z.ZodType> = Environment.shape
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The settings in the file. Blank lines separate its blocks, and the first block is the introduction. */
const settings = read('.env.example')
  .trimEnd()
  .split('\n\n')
  .slice(1)
  .map((block) => {
    const [, description = '', defaultText = '', name = '', value = ''] =
      /^# (\S.*\.) Default: (.+)\.\n#([A-Z_]+)=(.*)$/.exec(block) ?? []
    return { block, description, defaultText, name, value }
  })

it('.env.example describes each setting in one line with its default, and sets no setting', () => {
  const wrong = settings.filter(({ description, name }) => description === '' || name === '')
  expect(wrong).toEqual([])
})

it('.env.example lists the settings that the service reads, and nothing else', () => {
  expect(settings.map(({ name }) => name).sort()).toEqual(Object.keys(shape).sort())
})

it(".env.example shows the defaults of the service's settings", () => {
  for (const { name, value, defaultText } of settings) {
    const schema = shape[name]
    const expected = schema instanceof z.ZodDefault ? String(schema.def.defaultValue) : ''
    expect([name, value]).toEqual([name, expected])
    if (expected !== '') expect([name, defaultText]).toEqual([name, expected])
  }
})

it('.env.example has no effect if every line with a setting is uncommented and left unchanged', () => {
  const environment = Object.fromEntries(settings.map(({ name, value }) => [name, value]))
  expect(parseConfig(environment)).toEqual(parseConfig({}))
})

it('.env.example has the same defaults and descriptions as docs/reference/settings.md', () => {
  const rows = new Map(
    [...read('docs/reference/settings.md').matchAll(/^\| `([A-Z_]+)` +\| ([^|\n]+) \| (.+) \|$/gm)].map(
      ([, name = '', defaultText = '', description = '']) => [
        name,
        { defaultText: plain(defaultText.trim()) || 'none', description: `${plain(description.trim())}.` },
      ],
    ),
  )
  for (const { name, defaultText, description } of settings) {
    const documented = rows.get(name)
    expect([name, defaultText, description.toLowerCase()]).toEqual([
      name,
      documented?.defaultText,
      documented?.description.toLowerCase(),
    ])
  }
})

/** Converts Markdown to plain text. Removes links to sections that are in parentheses. */
const plain = (markdown: string) =>
  markdown
    .replace(/ \(\[(?:details|rotate|monitoring)\]\([^)]*\)\)/g, '')
    .replace(/\[([^[\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
