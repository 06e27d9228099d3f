import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { redactSecrets, type ToolSecrets } from '../../custom/tool-secrets.ts'
import type { ToolResult } from '../tool-kind.ts'
import { truncateText } from '../shorten.ts'

/** What an agent is told of a remote tool's answer: its text, and of anything else that it was there. */
export function toToolResult(result: CallToolResult, secrets: ToolSecrets): ToolResult {
  const parts = result.content.map(formatContent).filter(Boolean)
  if (parts.length === 0 && result.structuredContent !== undefined) {
    parts.push(JSON.stringify(result.structuredContent))
  }
  const isError = result.isError === true
  const text = parts.length > 0 ? parts.join('\n') : isError ? 'It failed without a reason.' : 'Done.'
  return { text: truncateText(redactSecrets(text, secrets)), isError }
}

function formatContent(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'image':
    case 'audio':
      return `[${part.type} (${part.mimeType}), which cannot be shown]`
    case 'resource':
      return 'text' in part.resource
        ? part.resource.text
        : `[file ${part.resource.uri}, which cannot be shown]`
    case 'resource_link':
      return `[link: ${part.name}, ${part.uri}]`
  }
}
