import { expect, it } from '@jest/globals'
import { httpTool } from '../../tools/custom/http-tool.ts'
import { addHttpTool, editHttpTool, type HttpToolInput } from '../../tools/save-http-tool.ts'
import { seedWorkspace } from '../support/factories.ts'
import { readTool, runTool, useHttpToolWorld } from '../support/tools.ts'

const { world, changes, receiver, input, add, keyed } = useHttpToolWorld()

it("encrypts a tool's secrets before it saves them", async () => {
  const row = await add(keyed())
  expect(JSON.stringify(row)).not.toMatch(/token-of-the-service|quoted/)
  expect(row.secrets).toMatch(/^v2\./)
})

it.each<[string, Partial<HttpToolInput>, string, RegExp]>([
  ['a name with spaces', { name: 'the weather' }, 'name', /letters, digits/],
  ['a name that is reserved for remote servers', { name: 'crm__weather' }, 'name', /two underscores/],
  ['the name __proto__', { name: '__proto__' }, 'name', /begin with a letter/],
  ['no description', { description: ' ' }, 'description', /Enter a description/],
  ['NUL in the description', { description: 'a\0b' }, 'description', /plain text/],
  [
    'a schema with a remote reference',
    { inputSchema: { type: 'object', $ref: 'https://x/' } },
    'input_schema',
    /doesn't fetch/,
  ],
  ['a URL without a host', { url: 'https://{city}/' }, 'url', /is invalid/],
  ['a URL in a private network', { url: 'https://10.0.0.1/{city}' }, 'url', /public/],
  ['a URL that is too long', { url: `https://example.com/{city}?${'x'.repeat(2000)}` }, 'url', /2,000/],
  [
    'an unknown argument in the URL',
    { url: 'https://example.com/{town}' },
    'url',
    /\{town\} isn't one of the arguments/,
  ],
  [
    'an optional argument in the path',
    { url: 'https://example.com/{day}' },
    'input_schema',
    /must be a required argument/,
  ],
  [
    'an argument that the query sets',
    { url: 'https://example.com/{city}?day=1' },
    'input_schema',
    /sets day/,
  ],
  ['an invalid header name', { headers: { 'a b': 'c' } }, 'headers', /isn't a valid header name/],
  ['a Host header', { headers: { Host: 'example.com' } }, 'headers', /set automatically/],
  ['two lines in a header', { headers: { a: 'b\r\nc: d' } }, 'headers', /one line/],
  [
    'a secret without a value',
    { headers: { a: '{{secret.KEY}}' } },
    'secrets',
    /KEY is used but has no value/,
  ],
  [
    'a secret named like an inherited property',
    { headers: { a: '{{secret.constructor}}' } },
    'secrets',
    /constructor is used/,
  ],
  ['a secret of two lines', { secrets: { KEY: 'abcdefg\nh' } }, 'secrets', /one line/],
  ['a secret that is too short', { secrets: { KEY: 'abc' } }, 'secrets', /6 to 4,000/],
  [
    'a secret with an invalid name',
    { secrets: { 'a-b': 'abcdefgh' } },
    'secrets',
    /isn't a valid secret name/,
  ],
])('rejects a tool with %s', async (_what, wrong, field, words) => {
  await expect(addHttpTool(world.deps, world.seed.workspaceId, input(wrong))).rejects.toMatchObject({
    code: 'validation_failed',
    details: expect.arrayContaining([
      expect.objectContaining({ field, message: expect.stringMatching(words) }),
    ]),
  })
  expect(changes).toEqual([])
})

it('rejects a name that another tool of the workspace has, but accepts it in another workspace', async () => {
  const tool = input()
  await addHttpTool(world.deps, world.seed.workspaceId, tool)
  await expect(addHttpTool(world.deps, world.seed.workspaceId, tool)).rejects.toMatchObject({
    details: [{ field: 'name' }],
  })
  const { workspaceId } = await seedWorkspace(world.deps, 'Other')
  await addHttpTool(world.deps, workspaceId, tool)
})

it("saves an edit as a new version, keeps the secrets that weren't edited, and notifies sessions", async () => {
  const row = await add(keyed())
  expect(changes).toEqual([{ workspaceId: world.seed.workspaceId }])
  await editHttpTool(world.deps, world.seed.workspaceId, row.id, {
    description: 'Another.',
    headers: { a: '{{secret.NEW}}' },
    secrets: { NEW: 'another-secret', TOKEN: null },
  })
  const edited = await readTool(world.deps, world.seed.workspaceId, 'http', row.id)
  expect(edited).toMatchObject({ version: row.version + 1, name: row.name, description: 'Another.' })
  expect(changes).toHaveLength(2)
  await runTool(world.deps, httpTool, edited, { city: 'Oslo' })
  expect(receiver.requests).toMatchObject([
    { path: expect.stringContaining('key=k%26y'), headers: { a: 'another-secret' } },
  ])
})

it('rejects an edit that would send a saved secret to another host, unless the secret is entered again', async () => {
  const row = await add(keyed())
  const otherHost = { url: 'https://other.example/{city}?key={{secret.KEY}}', headers: {} }
  await expect(editHttpTool(world.deps, world.seed.workspaceId, row.id, otherHost)).rejects.toMatchObject({
    details: [{ field: 'secrets', message: 'The secret KEY is used but has no value. Enter its value.' }],
  })
  await editHttpTool(world.deps, world.seed.workspaceId, row.id, {
    ...otherHost,
    secrets: { KEY: 'given-again' },
  })
})

it("rejects a tool's new name if another tool has it, and rejects any edit of another workspace's tool", async () => {
  const [one, other] = [await add(), await add()]
  const { workspaceId } = await seedWorkspace(world.deps, 'Other')
  await expect(
    editHttpTool(world.deps, world.seed.workspaceId, one.id, { name: other.name }),
  ).rejects.toMatchObject({
    details: [{ field: 'name' }],
  })
  await expect(editHttpTool(world.deps, workspaceId, one.id, { description: 'Mine.' })).rejects.toMatchObject(
    {
      code: 'not_found',
    },
  )
  expect((await readTool(world.deps, world.seed.workspaceId, 'http', one.id)).version).toBe(one.version)
})
