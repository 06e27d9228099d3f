import { afterAll, beforeAll } from '@jest/globals'
import { ContactAdded } from '@outdial/contract'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { createApp } from '../../app.ts'
import type { Db } from '../../platform/db/schema.ts'
import { freshNumber } from './factories.ts'
import { createRewritingDatabase } from './rewriting-database.ts'
import { createSender, type TestApi, useApiWorld } from './test-api.ts'

type Post = (
  values: object,
  options?: { key?: string; headers?: Record<string, string> },
) => Promise<LightMyRequestResponse>

/** The API, and a function that records the statements that it sends to the database. */
interface ObservedApi {
  readonly api: TestApi
  readonly send: ReturnType<typeof createSender>
  /** Sends `POST /contacts/` for a new number, unless `values` has a number. */
  readonly post: Post
  /** Sends `POST /contacts/` to a second instance of the API. */
  readonly postToOther: Post
  readonly add: (values: object) => Promise<ContactAdded>
  /**
   * Returns the statements that the API sends during `work`. `work` can read the statements so far with `sent`. Leaves out the
   * statement that records an API key's last use, because it isn't part of a request.
   */
  readonly observe: (work: (sent: () => string[]) => Promise<unknown>) => Promise<string[]>
}

/** Gives a test file the API, and functions that send requests and observe statements. */
export function useObservedApi(): ObservedApi {
  // This hook must run before the database's hook. Jest runs these hooks in registration order.
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()))
    await db.destroy()
  })
  const api = useApiWorld()
  let statements: string[] = []
  let db: Db
  let apps: FastifyInstance[]
  let senders: ReturnType<typeof createSender>[]
  beforeAll(async () => {
    db = createRewritingDatabase(api.url, (text) => {
      statements.push(text)
      return text
    })
    apps = await Promise.all([1, 2].map(() => createApp({ ...api.deps, db })))
    senders = apps.map((app) => createSender(app, api.key))
  })
  const getSender = (index: number) => {
    const sender = senders[index]
    if (sender === undefined) throw new Error('invariant: there are two instances')
    return sender
  }
  const createPost =
    (index: number): Post =>
    (values, options = {}) =>
      getSender(index)({
        method: 'POST',
        path: '/contacts/',
        body: { phone_number: freshNumber(), campaign_id: api.seed.campaignId, ...values },
        ...options,
      })
  const post = createPost(0)
  return {
    api,
    get send() {
      return getSender(0)
    },
    post,
    postToOther: createPost(1),
    add: async (values) => ContactAdded.parse((await post(values)).json()),
    observe: async (work) => {
      statements = []
      const sent = () =>
        statements.filter((text) => !text.includes('last_used_at') && !text.includes('api_request'))
      await work(sent)
      return sent()
    },
  }
}
