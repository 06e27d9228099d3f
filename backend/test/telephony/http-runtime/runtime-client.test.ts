import { expect, it } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { UnreadableStateError } from '../../../calling/telephony/http-runtime/parse-call-state.ts'
import { createRuntimeClient } from '../../../calling/telephony/http-runtime/runtime-client.ts'
import { systemClock } from '../../../platform/core/clock.ts'
import { newWebhookSecret } from '../../../platform/secrets/tokens.ts'
import { useHttpReceiver } from '../../support/http-receiver.ts'

const receiver = useHttpReceiver()

const createClient = (path: string, { key = newWebhookSecret(), timeoutMs = 10_000 } = {}) =>
  createRuntimeClient({
    url: receiver.url(path),
    signingKeys: () => [key],
    timeoutMs,
    clock: systemClock,
    reachability: { startRequest: () => ({ succeed: () => {}, fail: () => {} }) },
  })

it('signs the whole path of a request without a body, including the path in RUNTIME_URL', async () => {
  const key = newWebhookSecret()
  await createClient('/voice/v1', { key }).hangUp('7d3f0c52')
  const [request] = receiver.requests
  expect(request?.path).toBe('/voice/v1/calls/7d3f0c52')
  const headers = request?.headers as Record<string, string>
  const verify = (content: string) => new Webhook(key).verify(content, headers, { jsonParse: false })
  expect(() => verify('DELETE /voice/v1/calls/7d3f0c52')).not.toThrow()
  expect(() => verify('DELETE /calls/7d3f0c52')).toThrow()
})

it.each([
  ['is larger than 4 MiB', ' '.repeat(4 * 1024 * 1024 + 1)],
  ['has more than 200,000 values', `{"reports":[[${'1,'.repeat(200_000)}1]]}`],
])("doesn't parse a response that %s", async (problem, body) => {
  receiver.respond = (_, response) => void response.end(body)
  const reading = createClient('').getCallState('7d3f0c52')
  await expect(reading).rejects.toThrow(new UnreadableStateError(`the runtime's response ${problem}`))
})

it('stops waiting for a response that never ends', async () => {
  receiver.respond = (_, response) => void response.write('{')
  const reading = createClient('', { timeoutMs: 100 }).getCallState('7d3f0c52')
  await expect(reading).rejects.toThrow(UnreadableStateError)
})
