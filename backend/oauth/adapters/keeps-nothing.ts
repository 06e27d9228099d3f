import type { Adapter } from 'oidc-provider'

/** Keeps nothing and finds nothing; adapters that keep something say what. */
export const noopAdapter: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  // `Grant.destroy` takes everything of the grant with it, and the library always calls both.
  revokeByGrantId: async () => undefined,
}
