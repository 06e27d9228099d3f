import { expect, it } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { systemClock } from '../../../core/clock.ts'
import { newWebhookSecret } from '../../../secrets/tokens.ts'
import { createRuntimeClient } from '../../../telephony/http-runtime/runtime-client.ts'
import { useHttpReceiver } from '../../support/http-receiver.ts'

const receiver = useHttpReceiver()

it('signs the whole path of a request without a body, also if RUNTIME_URL has a path', async () => {
  const key = newWebhookSecret()
  const client = createRuntimeClient({
    url: receiver.url('/voice/v1'),
    signingKeys: () => [key],
    clock: systemClock,
    reachability: { startRequest: () => ({ succeed: () => {}, fail: () => {} }) },
  })
  await client.hangUp('7d3f0c52')
  const [request] = receiver.requests
  expect(request?.path).toBe('/voice/v1/calls/7d3f0c52')
  const headers = request?.headers as Record<string, string>
  const verify = (content: string) => new Webhook(key).verify(content, headers, { jsonParse: false })
  expect(() => verify('DELETE /voice/v1/calls/7d3f0c52')).not.toThrow()
  expect(() => verify('DELETE /calls/7d3f0c52')).toThrow()
})
