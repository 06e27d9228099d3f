import { createServer, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { serveHttp } from './serve.ts'

// A model server that reports two times in the first word of its response: when it received the request's last byte, and when
// it wrote this word. Both are in milliseconds since 1970. Another 19 words follow, one every 50 ms.

const words = Array.from({ length: 19 }, (_, index) => `word${index} `)
const chunkMs = 50

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const receivedAt = now()
    void answer(response, receivedAt)
  })
})

async function answer(response: ServerResponse, receivedAt: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (choice: object) => response.write(`data: ${JSON.stringify(toChunk(choice))}\n\n`)
  write({ delta: { role: 'assistant', content: `${receivedAt}/${now()} ` } })
  for (const content of words) {
    await setTimeout(chunkMs)
    write({ delta: { content } })
  }
  write({ delta: {}, finish_reason: 'stop' })
  response.end('data: [DONE]\n\n')
}

const toChunk = (choice: object) => ({
  ...{ id: 'chunk-1', object: 'chat.completion.chunk', created: 1, model: 'timing' },
  choices: [{ index: 0, finish_reason: null, ...choice }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})

const now = (): number => performance.timeOrigin + performance.now()

serveHttp(server)
