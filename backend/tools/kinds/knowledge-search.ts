import * as z from 'zod'
import { searchKnowledge } from '../knowledge/search-knowledge.ts'
import { textArgument } from './tool-arguments.ts'
import { failedResult, textResult, type ToolKind } from './tool-kind.ts'

/** Searches the workspace's documents and returns the passages that match best. */
export const knowledgeSearch: ToolKind = {
  kind: 'knowledge_search',
  settings: z.strictObject({}),
  config: z.strictObject({}),
  hasEffects: false,
  builtIn: {
    name: 'knowledge_search',
    description:
      'Search the knowledge base for what the person asks about, such as products, prices, terms, or opening hours. Use it before you answer.',
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          minLength: 1,
          maxLength: 500,
          description: 'A few words that the answer probably contains, for example "cancel appointment fee".',
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
  },
  run: async (deps, use) => {
    const query = textArgument(use, 'query')
    if (query === undefined) return failedResult('query_empty')
    const found = await searchKnowledge(deps, use.row.workspaceId, query)
    if (found.length === 0) {
      return textResult(
        "Nothing found in the knowledge base. Try other words, or say that you don't know. Don't guess.",
      )
    }
    return textResult(found.map(({ title, text }) => `From "${title}":\n${text}`).join('\n\n'))
  },
}
