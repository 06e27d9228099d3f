import { afterAll, beforeAll, expect } from '@jest/globals'
import { type Call, ContactAdded, ErrorResponse, type Scope } from '@outdial/contract'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { createApp } from '../../app.ts'
import { hashToken } from '../../platform/secrets/tokens.ts'
import { type TestDeps, testDeps } from './deps.ts'
import { type Seed, seedWorkspace } from './factories.ts'
import { useTestDatabase } from './world.ts'

export interface ApiRequest {
  method?: 'GET' | 'POST' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'PUT' | 'PATCH'
  /** The path below the API's prefix. */
  path: string
  /** The body to send as JSON. */
  body?: unknown
  /** The body to send unchanged, instead of `body`. */
  raw?: string | Buffer
  headers?: Record<string, string>
  /** The API key to send instead of the default one; null sends none. */
  key?: string | null
}

/** The API on a separate database, with one workspace and a key for it. */
export interface TestApi {
  readonly app: FastifyInstance
  readonly deps: TestDeps
  readonly seed: Seed
  readonly key: string
  /** The URL of the database. */
  readonly url: string
  send(request: ApiRequest): Promise<LightMyRequestResponse>
  /** Creates a second workspace with an API key. */
  seedOtherWorkspace(): Promise<{ seed: Seed; key: string }>
  /** Restricts a key to scopes, or gives it an expiration date as access tokens have. */
  restrictKey(key: string, limits: { scopes?: Scope[]; expiresAt?: Date }): Promise<void>
}

export const apiPrefix = '/api/public/v1'

/** Gives a test file the API. It's created before the first test. */
export function useApiWorld(overrides: Partial<TestDeps> = {}): TestApi {
  let app: FastifyInstance
  let deps: TestDeps
  let seed: Seed
  let key: string
  let send: ReturnType<typeof createSender>
  // This hook must run before the database's hook. Jest runs these hooks in registration order.
  afterAll(() => app.close())
  const database = useTestDatabase()
  beforeAll(async () => {
    deps = testDeps(database.db, overrides)
    seed = await seedWorkspace(deps)
    key = await createKey(deps, seed)
    app = await createApp(deps)
    send = createSender(app, key)
  })
  return {
    get app() {
      return app
    },
    get deps() {
      return deps
    },
    get seed() {
      return seed
    },
    get key() {
      return key
    },
    get url() {
      return database.url
    },
    send: (request) => send(request),
    seedOtherWorkspace: async () => {
      const other = await seedWorkspace(deps, 'Neighbor')
      return { seed: other, key: await createKey(deps, other) }
    },
    restrictKey: async (restrictedKey, { scopes, expiresAt }) => {
      await deps.db
        .updateTable('credential')
        .set({ ...(scopes && { scopes }), ...(expiresAt && { expires_at: expiresAt }) })
        .where('token_hash', '=', hashToken(restrictedKey))
        .execute()
    },
  }
}

const createKey = async (deps: TestDeps, { workspaceId, userId }: Seed): Promise<string> =>
  (await createApiKey(deps, workspaceId, userId, 'Test')).key

/** Returns a function that sends requests to `app`. They have `defaultKey` unless they set another key. */
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

/** Sends `POST /contacts/` for the seed's campaign. */
export const postContact = (api: TestApi, phoneNumber: string, fields: object = {}) =>
  api.send({
    method: 'POST',
    path: '/contacts/',
    body: { phone_number: phoneNumber, campaign_id: api.seed.campaignId, ...fields },
  })

/** Queues a call over the API, and returns it. */
export async function queueOverApi(api: TestApi, phoneNumber: string, fields?: object): Promise<Call> {
  const response = await postContact(api, phoneNumber, fields)
  expect(response.statusCode).toBe(201)
  return ContactAdded.parse(response.json()).call
}

/** Checks that a response has the API's error format, and returns its parts. */
export function parseError(response: LightMyRequestResponse) {
  const { error } = ErrorResponse.parse(response.json())
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.headers['x-request-id']).toBe(error.request_id)
  return { status: response.statusCode, type: error.type, code: error.code, details: error.details }
}
