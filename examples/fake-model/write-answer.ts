import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, ChatRequest } from './chat-protocol.ts'

/** The pause after each word: twenty words a second are about as fast as people listen. */
const slowMs = 50

interface Writing {
  request: ChatRequest
  behaviors: ReadonlySet<string>
  answer: Answer
  /** Called when the first word is written. */
  onFirstWord: () => void
}

/** Sends the answer as one JSON object. */
export function writeCompletion(response: ServerResponse, { request, behaviors, answer }: Writing): void {
  const { text, toolCalls } = answer
  const message = {
    role: 'assistant',
    content: text || null,
    ...(toolCalls.length > 0 && {
      tool_calls: toolCalls.map((call, index) => toCall(request, behaviors, call, index)),
    }),
  }
  const choice = { index: 0, message, finish_reason: toolCalls.length > 0 ? 'tool_calls' : 'stop' }
  const usage = behaviors.has('no-usage') ? {} : { usage: countUsage(request, answer) }
  const body = { ...frameOf(request), object: 'chat.completion', choices: [choice], ...usage }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Sends the answer as a stream of words. Fails in the middle of the stream if a behavior says so. */
export async function streamCompletion(response: ServerResponse, writing: Writing): Promise<void> {
  const { request, behaviors, answer, onFirstWord } = writing
  const writeChunk = (delta: object, finish_reason: string | null = null) =>
    writeEvent(response, {
      ...frameOf(request),
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
    })
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  writeChunk({ role: 'assistant', content: '' })

  if (behaviors.has('thinking')) writeChunk({ reasoning_content: 'Let me think.' })
  const { words, isComplete } = limitWords(answer.text, request.max_tokens)
  for (const [index, word] of words.entries()) {
    if (index === 0) onFirstWord()
    writeChunk({ content: word })
    if (behaviors.has('slow')) await delay(slowMs)
    if (index < 2) continue
    if (behaviors.has('cut')) {
      // Without the pause, the connection would end before the words have left.
      response.write('', () => setImmediate(() => response.destroy()))
      return
    }
    if (behaviors.has('stalled')) return
    if (behaviors.has('ends-early')) {
      response.end()
      return
    }
    if (behaviors.has('malformed')) {
      response.end('data: {"choices": [{"delta": \n\n')
      return
    }
  }
  while (behaviors.has('endless') && !response.destroyed) {
    writeChunk({ content: 'and so on ' })
    await delay(1)
  }
  for (const [index, call] of answer.toolCalls.entries())
    writeChunk({ tool_calls: [{ index, ...toCall(request, behaviors, call, index) }] })
  const end = answer.toolCalls.length > 0 ? 'tool_calls' : isComplete ? 'stop' : 'length'
  writeChunk({}, behaviors.has('filtered') ? 'content_filter' : end)
  if (request.stream_options?.include_usage && !behaviors.has('no-usage'))
    writeEvent(response, { ...frameOf(request), choices: [], usage: countUsage(request, answer) })
  response.end('data: [DONE]\n\n')
}

const writeEvent = (response: ServerResponse, event: object) =>
  response.write(`data: ${JSON.stringify(event)}\n\n`)

/** Splits a text into words, each with the space after it. A word counts as a token. */
function limitWords(text: string, max = Infinity): { words: string[]; isComplete: boolean } {
  const words = text.match(/\S+\s*/g) ?? []
  return { words: words.slice(0, max), isComplete: words.length <= max }
}

const frameOf = ({ model }: ChatRequest) => ({
  id: 'fake-completion',
  created: Math.floor(Date.now() / 1_000),
  model,
})

/** Numbers calls over the whole conversation, so that no two calls have the same ID. Some servers reuse IDs anyway. */
const toCall = (
  { messages }: ChatRequest,
  behaviors: ReadonlySet<string>,
  call: Answer['toolCalls'][number],
  index: number,
) => ({
  id: behaviors.has('same-ids') ? `call_${index}` : `call_${messages.length}_${index}`,
  type: 'function',
  function: { name: call.name, arguments: call.arguments },
})

function countUsage({ messages }: ChatRequest, answer: Answer) {
  const prompt_tokens = Math.ceil(JSON.stringify(messages).length / 4)
  const completion_tokens = Math.ceil(JSON.stringify(answer).length / 4)
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
