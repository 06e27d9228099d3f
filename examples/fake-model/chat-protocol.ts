// The parts of the OpenAI chat completions protocol that the fake model reads.

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content?: string | { type: string; text?: string }[] | null
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** A JSON Schema, as far as the fake model fills it in. */
export interface FakeSchema {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  anyOf?: FakeSchema[]
  properties?: Record<string, FakeSchema>
  required?: string[]
}

export interface ChatTool {
  function: { name: string; description?: string; parameters?: FakeSchema }
}

/** The body of `POST /v1/chat/completions`. */
export interface ChatRequest {
  model: string
  messages: ChatMessage[]
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  max_tokens?: number
  tools?: ChatTool[]
  tool_choice?: unknown
  response_format?: { type: string; json_schema?: { schema?: FakeSchema } }
}

/** Contains the fake model's answer to one request. */
export interface Answer {
  text: string
  toolCalls: { name: string; arguments: string }[]
}

/** Returns the text of a message. Its content is either a text or a list of parts. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text = '' }) => text).join('\n')
}
