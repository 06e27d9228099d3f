import { createSecretKey, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { codeBlocks } from '../../../test/support/docs.ts'
import { signWebhook, toSigningKey } from '../../platform/outbound/sign-webhook.ts'
import { newWebhookSecret } from '../../platform/secrets/tokens.ts'
import { useTestFolder } from '../support/folder.ts'

const folder = useTestFolder()

const newKey = () => randomBytes(32)
const verifierOf = (key: Buffer) => new Webhook(key, { format: 'raw' })

it('creates signatures that an independent library accepts for any body, and rejects for a changed body', () => {
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

it('creates signatures that can be verified with either of two keys, but not with another key', () => {
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

it('creates signatures that the code in docs/reference/webhooks.md verifies with either secret during a rotation', async () => {
  const [code = ''] = codeBlocks('docs/reference/webhooks.md', 'js')
  const file = path.join(folder.path, 'verify.mjs')
  await writeFile(file, code)
  const { isFromOutdial } = (await import(pathToFileURL(file).href)) as {
    isFromOutdial: (secret: string, headers: Record<string, string>, body: string) => boolean
  }
  const secrets = [newWebhookSecret(), newWebhookSecret()]
  const body = JSON.stringify({ name: 'Zoë \u2028 😀' })
  const sign = (at: Date) => signWebhook({ id: 'evt_1', at, body, keys: secrets.map(toSigningKey) })
  const headers = sign(new Date())
  expect(secrets.map((secret) => isFromOutdial(secret, headers, body))).toEqual([true, true])
  expect(isFromOutdial(newWebhookSecret(), headers, body)).toBe(false)
  expect(isFromOutdial(secrets[0] ?? '', headers, `${body} `)).toBe(false)
  expect(isFromOutdial(secrets[0] ?? '', sign(new Date(Date.now() - 400_000)), body)).toBe(false)
  expect(isFromOutdial(secrets[0] ?? '', {}, body)).toBe(false)
})
