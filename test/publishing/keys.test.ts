import { readFile } from 'node:fs/promises'
import { expect, it } from '@jest/globals'
import { generateKeys, keysFile, samplePaths } from '../../scripts/connector-keys.ts'

// docs/publishing/versions.md says which changes are allowed.
it('C001, C002, C003: keeps the keys that Zaps refer to: run `npm run generate` and review keys.json if this fails', async () => {
  expect(await readFile(keysFile, 'utf8')).toBe(await generateKeys())
})

it("the keys of a sample's values, including nested values, have the form that Zapier uses", () => {
  const sample = {
    id: 1,
    contact: { name: 'Maya' },
    turns: [{ text: 'Hi' }],
    tags: ['a'],
    none: null,
    empty: [],
  }
  expect(samplePaths(sample)).toEqual(['id', 'contact__name', 'turns[]text', 'tags', 'none', 'empty'])
})
