import { describe, expect, it } from '@jest/globals'
import { createSecretBox } from '../../platform/secrets/secret-box.ts'
import type { LeasedDelivery } from '../../webhooks/delivery-store.ts'
import { toOriginSecret } from '../../webhooks/origin-secret.ts'
import { createSigningKeys } from '../../webhooks/signing-keys.ts'

const secretBox = createSecretBox(['a passphrase of more than 32 characters'])
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const now = new Date('2026-05-04T14:02:00Z')

describe('the keys of a delivery', () => {
  it("aren't found for a secret that was copied from another subscription, even if they're cached", () => {
    const find = createSigningKeys({ secretBox })
    const sealed = secretBox.seal(secret, ['webhook_subscription.secret', 1, 10])
    const delivery = { ...example, subscriptionId: 10, secret: sealed }
    expect(find(delivery, now)?.map((key) => key.export())).toEqual([Buffer.alloc(24, 7)])
    expect(find(delivery, now)).toHaveLength(1)
    expect(find({ ...delivery, subscriptionId: 11 }, now)).toBeUndefined()
    expect(find({ ...delivery, workspaceId: 2 }, now)).toBeUndefined()
  })

  it('differ between the origins of callback URLs, but are the same for all URLs of an origin', () => {
    const find = createSigningKeys({ secretBox })
    const sealed = secretBox.seal(secret, ['workspace.webhook_secret', 1])
    const exportKey = (targetUrl: string) =>
      find({ ...example, secret: sealed, targetUrl }, now)?.[0]
        ?.export()
        .toString('base64')
    const keyOf = (origin: string) => toOriginSecret(secret, origin).replace('whsec_', '')
    expect(exportKey('https://a.example/1')).toBe(keyOf('https://a.example'))
    expect(exportKey('https://b.example/1')).toBe(keyOf('https://b.example'))
    expect(exportKey('https://a.example/2')).toBe(keyOf('https://a.example'))
  })
})

const example: LeasedDelivery = {
  id: 1,
  workspaceId: 1,
  fence: 1,
  attempts: 0,
  eventId: 'evt_1',
  createdAt: new Date(),
  isTest: false,
  body: '{}',
  targetUrl: 'https://a.example/',
  targetHost: 'a.example',
  subscriptionId: null,
  disabled: false,
  secret: '',
  previousSecret: null,
  previousSecretUntil: null,
}
