import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { signWebhook } from '../../outbound/sign-webhook.ts'
import { newWebhookSecret } from '../../secrets/tokens.ts'

it('signs any text so that an independent verifier accepts it, and nothing that was changed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const secret = newWebhookSecret()
      const body = JSON.stringify({ value })
      const headers = signWebhook({ id: 'evt_1', at: new Date(), body, secrets: [secret] })
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
      expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature')
    }),
    { numRuns: 50 },
  )
})

it('is accepted by who knows either of two secrets, and by nobody else', () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()]
  const headers = signWebhook({ id: 'evt_1', at: new Date(), body: '{}', secrets })
  for (const secret of secrets) expect(new Webhook(secret).verify('{}', headers)).toEqual({})
  expect(() => new Webhook(newWebhookSecret()).verify('{}', headers)).toThrow('No matching signature')
})
