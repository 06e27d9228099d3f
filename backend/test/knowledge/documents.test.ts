import { expect, it } from '@jest/globals'
import { knowledgeSearch } from '../../tools/kinds/knowledge-search.ts'
import type { ToolRow } from '../../tools/kinds/tool-kind.ts'
import { addDocument, deleteDocument, editDocument } from '../../tools/knowledge/documents.ts'
import { searchKnowledge } from '../../tools/knowledge/search-knowledge.ts'
import { seedWorkspace } from '../support/factories.ts'
import { runTool } from '../support/tools.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const searchTitles = async (query: string) =>
  (await searchKnowledge(world.deps, world.seed.workspaceId, query)).map(({ title }) => title)

const warranty = { title: 'Warranty', body: 'Every new roof has a warranty of ten years.' }
const prices = { title: 'Prices', body: 'An inspection of your roof is free. A repair costs 300 dollars.' }

it('the search finds other forms of a word, and ranks a match in the title above a match in the text', async () => {
  await addDocument(world.deps, world.seed.workspaceId, {
    title: 'Storms',
    body: 'Ask us about inspections after a storm.',
  })
  await addDocument(world.deps, world.seed.workspaceId, {
    title: 'Inspections',
    body: 'We come within two days.',
  })
  expect(await searchTitles('inspecting')).toEqual(['Inspections', 'Storms'])
})

it("the search finds documents with some of the query's words if no document has all of them", async () => {
  await addDocument(world.deps, world.seed.workspaceId, warranty)
  await addDocument(world.deps, world.seed.workspaceId, prices)
  expect(await searchTitles('what does an elephant inspection cost?')).toEqual(['Prices'])
  expect(await searchTitles('warranty on new roof')).toEqual(['Warranty'])
})

it('the search ignores dashes, operators, and stop words, and finds nothing if the query has no other words', async () => {
  await addDocument(world.deps, world.seed.workspaceId, warranty)
  expect(await searchTitles('-warranty')).toEqual(['Warranty'])
  expect(await searchTitles('& | ! <-> :* \' " ( warranty')).toEqual(['Warranty'])
  expect(await searchTitles('of the')).toEqual([])
  expect(await searchTitles('-')).toEqual([])
  expect(await searchTitles('\u0000\ud800')).toEqual([])
})

it('the search returns only three passages of a long document, even if more match', async () => {
  const body = Array.from({ length: 6 }, (_, index) => `Gutter ${index}. ${'x'.repeat(700)}`).join('\n\n')
  await addDocument(world.deps, world.seed.workspaceId, { title: 'Long', body })
  const found = await searchKnowledge(world.deps, world.seed.workspaceId, 'gutter')
  expect(found.map(({ text }) => text.slice(0, 8))).toEqual(['Gutter 0', 'Gutter 1', 'Gutter 2'])
})

it("doesn't find, edit, or delete another workspace's documents", async () => {
  const other = await seedWorkspace(world.deps, 'Other')
  const { id } = await addDocument(world.deps, other.workspaceId, warranty)
  expect(await searchTitles('warranty')).toEqual([])
  await expect(editDocument(world.deps, world.seed.workspaceId, id, { title: 'Mine' })).rejects.toMatchObject(
    {
      code: 'not_found',
    },
  )
  await expect(deleteDocument(world.deps, world.seed.workspaceId, id)).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await searchKnowledge(world.deps, other.workspaceId, 'warranty')).toHaveLength(1)
})

it('the search finds an edited document by its new title and text, not by the old ones', async () => {
  const { id } = await addDocument(world.deps, world.seed.workspaceId, warranty)
  await editDocument(world.deps, world.seed.workspaceId, id, { body: 'Fifteen years.' })
  expect(await searchTitles('ten')).toEqual([])
  await editDocument(world.deps, world.seed.workspaceId, id, { title: 'Guarantee' })
  expect(await searchTitles('guarantee fifteen')).toEqual(['Guarantee'])
  expect(await searchTitles('warranty')).toEqual([])
})

it("the search doesn't find a deleted document", async () => {
  const { id } = await addDocument(world.deps, world.seed.workspaceId, warranty)
  await deleteDocument(world.deps, world.seed.workspaceId, id)
  expect(await searchTitles('warranty')).toEqual([])
})

it.each([
  ['title', 'required', { title: ' ', body: 'Text' }],
  ['title', 'too_long', { title: 'x'.repeat(201), body: 'Text' }],
  ['body', 'required', { title: 'Title', body: '\n' }],
  ['body', 'too_long', { title: 'Title', body: 'x'.repeat(200_001) }],
  ['body', 'invalid_text', { title: 'Title', body: 'a\u0000b' }],
])('rejects a document whose %s is invalid: %s', async (field, code, document) => {
  const thrown = { code: 'validation_failed', details: [{ field, code }] }
  await expect(addDocument(world.deps, world.seed.workspaceId, document)).rejects.toMatchObject(thrown)
})

it("knowledge_search returns passages with their document's title, or says that nothing was found", async () => {
  await addDocument(world.deps, world.seed.workspaceId, warranty)
  const useSearchTool = (query: string) =>
    runTool(world.deps, knowledgeSearch, builtInRow(world.seed.workspaceId), { query })
  expect(await useSearchTool('warranty')).toEqual({
    text: `From "Warranty":\n${warranty.body}`,
    isError: false,
  })
  expect(await useSearchTool('elephant')).toEqual({
    text: "Nothing found in the knowledge base. Try other words, or say that you don't know. Don't guess.",
    isError: false,
  })
  expect(await useSearchTool('  ')).toEqual({
    text: 'The query is empty. Pass the words to search for.',
    isError: true,
  })
})

const builtInRow = (workspace: number): ToolRow => ({
  id: 1,
  workspaceId: workspace,
  version: 1,
  kind: 'knowledge_search',
  name: 'knowledge_search',
  description: '',
  inputSchema: {},
  settings: {},
  secrets: null,
})
