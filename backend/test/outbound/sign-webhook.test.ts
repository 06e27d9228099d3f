import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { signWebhook } from '../../outbound/sign-webhook.ts'

const newKey = () => randomBytes(32)
const verifierOf = (key: Buffer) => new Webhook(key, { format: 'raw' })

it('signs any body so that an independent verifier accepts it and rejects a changed one', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const key = newKey()
      const body = JSON.stringify({ value })
      const headers = signWebhook({ id: 'evt_1', at: new Date(), body, keys: [createSecretKey(key)] })
      expect(verifierOf(key).verify(body, headers)).toEqual(JSON.parse(body))
      expect(() => verifierOf(key).verify(`${body} `, headers)).toThrow('No matching signature')
    }),
    { numRuns: 50 },
  )
})

it('can be verified with either of two keys, but not with any other', () => {
  const keys = [newKey(), newKey()]
  const headers = signWebhook({
    id: 'evt_1',
    at: new Date(),
    body: '{}',
    keys: keys.map((key) => createSecretKey(key)),
  })
  for (const key of keys) expect(verifierOf(key).verify('{}', headers)).toEqual({})
  expect(() => verifierOf(newKey()).verify('{}', headers)).toThrow('No matching signature')
})
