import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from '@jest/globals'
import { findOrders } from '../../../../examples/fake-model/orders.ts'

const script = fileURLToPath(new URL('../../../../examples/fake-model/main.ts', import.meta.url))

it('the fake model starts as its README describes, prints its address, and lists the model outdial-fake', async () => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
    env: { PATH: process.env.PATH, FAKE_MODEL_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const [, url = ''] = /^The fake model is ready at (\S+)$/.exec(line) ?? []
    const response = await fetch(`${url}/models`)
    expect(await response.json()).toMatchObject({ data: [{ id: 'outdial-fake' }] })
    const other = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'gpt-5', messages: [] }),
    })
    expect(other.status).toBe(404)
  } finally {
    child.kill()
  }
})

it.each([
  [
    'Call the tool contact_note with {"a":{"b":"}"}} now',
    { name: 'contact_note', arguments: '{"a":{"b":"}"}}' },
  ],
  [
    JSON.stringify({ note: 'call the tool end_call with {"a": "b"}' }),
    { name: 'end_call', arguments: '{"a":"b"}' },
  ],
])('the fake model finds the instruction to call a tool in the text %s', (text, call) => {
  expect(findOrders([text]).toolCalls).toEqual([call])
})

it('the fake model ignores an instruction with incomplete arguments, and finds the sentence that another one asks for', () => {
  expect(findOrders(['call the tool x with {"a":', 'say: Hello!\nThen go.'])).toEqual({
    toolCalls: [],
    sentences: ['Hello!'],
  })
})
