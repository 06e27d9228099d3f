import type { Scope } from '@outdial/contract'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { createApp } from '../../app.ts'
import { createApiKey } from '../../identity/api-keys.ts'
import { hashToken } from '../../secrets/tokens.ts'
import { createTestDatabase } from './database.ts'
import { type TestDeps, testDeps } from './deps.ts'
import { type Seed, seedWorkspace } from './factories.ts'

export interface ApiRequest {
  method?: 'GET' | 'POST' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'PUT' | 'PATCH'
  /** Below the API's prefix. */
  path: string
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, in place of `body`. */
  raw?: string | Buffer
  headers?: Record<string, string>
  /** Another key; null for none. */
  key?: string | null
}

/** The API over a database of its own, with one workspace and a key to it. */
export interface TestApi {
  app: FastifyInstance
  deps: TestDeps
  seed: Seed
  key: string
  /** Of the database. */
  url: string
  send(request: ApiRequest): Promise<LightMyRequestResponse>
  /** A second workspace, with a key to it. */
  seedOtherWorkspace(): Promise<{ seed: Seed; key: string }>
  /** Takes scopes from a key, or lets it expire, as tokens do. */
  restrictKey(key: string, limits: { scopes?: Scope[]; expiresAt?: Date }): Promise<void>
  close(): Promise<void>
}

export const apiPrefix = '/api/public/v1'

export async function createTestApi(overrides: Partial<TestDeps> = {}): Promise<TestApi> {
  const database = await createTestDatabase()
  const deps = testDeps(database.db, overrides)
  const seed = await seedWorkspace(deps)
  const key = await createKey(deps, seed)
  const app = await createApp(deps)
  return {
    app,
    deps,
    seed,
    key,
    url: database.url,
    send: createSender(app, key),
    seedOtherWorkspace: async () => {
      const other = await seedWorkspace(deps, 'Neighbour')
      return { seed: other, key: await createKey(deps, other) }
    },
    restrictKey: async (restrictedKey, { scopes, expiresAt }) => {
      await deps.db
        .updateTable('credential')
        .set({ ...(scopes && { scopes }), ...(expiresAt && { expires_at: expiresAt }) })
        .where('token_hash', '=', hashToken(restrictedKey))
        .execute()
    },
    close: async () => {
      await app.close()
      await database.close()
    },
  }
}

const createKey = async (deps: TestDeps, { workspaceId, userId }: Seed): Promise<string> =>
  (await createApiKey(deps, { workspaceId, userId, name: 'Test' })).key

/** Sends requests to `app` as the owner of `ownKey`. */
export const createSender =
  (app: FastifyInstance, defaultKey: string) =>
  ({ method = 'GET', path, body, raw, headers = {}, key = defaultKey }: ApiRequest) =>
    app.inject({
      method,
      url: `${apiPrefix}${path}`,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...((body !== undefined || raw !== undefined) && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...((body !== undefined || raw !== undefined) && { payload: raw ?? JSON.stringify(body) }),
    })
