import type { KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Deps } from '../deps.ts'
import { toSigningKey } from '../platform/outbound/sign-webhook.ts'
import type { LeasedDelivery } from './delivery-store.ts'
import { toOriginSecret } from './origin-secret.ts'

/** Returns the keys that sign a delivery at the time `at`, or undefined if a secret can't be decrypted. */
export type FindSigningKeys = (delivery: LeasedDelivery, at: Date) => KeyObject[] | undefined

/**
 * Creates the function that finds signing keys. The function caches them, because decrypting a secret costs more than signing
 * with it.
 */
export function createSigningKeys({ secretBox }: Pick<Deps, 'secretBox'>): FindSigningKeys {
  const keys = new LRUCache<string, KeyObject>({ max: 1_000 })

  const open = ({ workspaceId, subscriptionId, targetUrl }: LeasedDelivery, sealed: string): string =>
    subscriptionId === null
      ? toOriginSecret(secretBox.open(sealed, ['workspace.webhook_secret', workspaceId]), targetUrl)
      : secretBox.open(sealed, ['webhook_subscription.secret', workspaceId, subscriptionId])

  const find = (delivery: LeasedDelivery, sealed: string): KeyObject => {
    const { workspaceId, subscriptionId, targetUrl } = delivery
    // The name contains everything that the key depends on, because a secret that was copied to another row must not
    // open there.
    const name = JSON.stringify([sealed, workspaceId, subscriptionId ?? new URL(targetUrl).origin])
    const key = keys.get(name) ?? toSigningKey(open(delivery, sealed))
    keys.set(name, key)
    return key
  }

  return (delivery, at) => {
    const { secret, previousSecret, previousSecretUntil } = delivery
    const overlapSecret = previousSecretUntil !== null && previousSecretUntil > at ? previousSecret : null
    const sealed = overlapSecret === null ? [secret] : [secret, overlapSecret]
    try {
      return sealed.map((each) => find(delivery, each))
    } catch {
      return undefined // sealed with a key that SECRET_KEY no longer lists, or for another row
    }
  }
}
