import { type Call, CallCompletedEvent, WebhookSubscription } from '@outdial/contract'
import { Webhook } from 'standardwebhooks'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { createSecretBox } from '../../platform/secrets/secret-box.ts'
import { assignTool } from '../../tools/assignments.ts'
import { installBuiltInTools, listTools } from '../../tools/tool-catalog.ts'
import type { TestDatabase } from './database.ts'
import { testDeps } from './deps.ts'
import { getWidgetId, type Seed, seedWorkspace } from './factories.ts'
import { findFixedPort } from './fixed-port.ts'
import { HttpReceiver } from './http-receiver.ts'
import { secret } from './mcp.ts'
import { type RedisServer, startRedisServer } from './redis-server.ts'
import { createServiceProcess, type ServiceProcess } from './service-process.ts'

const secretKey = 'test-key-of-at-least-thirty-two-characters'

/** Two processes with ROLE=api, two with ROLE=worker, their shared database and Redis, and a webhook receiver. */
export interface Cluster {
  apis: [ServiceProcess, ServiceProcess]
  workers: [ServiceProcess, ServiceProcess]
  redis: RedisServer
  /** A workspace whose agent can look up the contact of a call. */
  seed: Seed
  widgetId: string
  receiver: HttpReceiver
  /** Sends a request with the workspace's API key to the API of the process at `url`. */
  request(url: string, path: string, body?: object): Promise<Response>
  /** Subscribes the receiver to completed calls. */
  subscribe(url: string): Promise<void>
  /** Returns the calls of all events that arrived, in order. Throws if an event has no valid signature. */
  receivedCalls(): Call[]
  /** Starts the processes that aren't running. */
  startAll(): Promise<void>
  close(): Promise<void>
}

/** Creates the processes without starting them. `environment` has settings that all of them get. */
export async function createCluster(
  database: Pick<TestDatabase, 'db' | 'url'>,
  environment: Record<string, string>,
): Promise<Cluster> {
  const deps = testDeps(database.db, { secretBox: createSecretBox([secretKey]) })
  const seed = await seedWorkspace(deps)
  const { workspaceId, agentId, userId } = seed
  await installBuiltInTools(deps, workspaceId)
  const tool = (await listTools(deps, workspaceId)).find(({ name }) => name === 'contact_lookup')
  if (tool === undefined) throw new Error('contact_lookup is not a built-in tool')
  await assignTool(deps, workspaceId, agentId, tool.id, {})
  const { key } = await createApiKey(deps, workspaceId, userId, 'Test')

  const redis = await startRedisServer()
  const receiver = new HttpReceiver()
  await receiver.listen()
  const create = async (role: 'api' | 'worker') =>
    createServiceProcess(role, await findFixedPort(), {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      SECRET_KEY: secretKey,
      RUNTIME_SECRET: secret,
      ALLOW_LOOPBACK_WEBHOOKS: 'true',
      RATE_LIMIT_PER_MINUTE: '1000000',
      LOG_LEVEL: 'warn',
      ...environment,
    })
  const apis: Cluster['apis'] = [await create('api'), await create('api')]
  const workers: Cluster['workers'] = [await create('worker'), await create('worker')]
  const processes = [...apis, ...workers]
  let webhookSecret = ''

  const request: Cluster['request'] = (url, path, body) =>
    fetch(`${url}/api/public/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return {
    ...{ apis, workers, redis, seed, receiver, request },
    widgetId: await getWidgetId(database, agentId),
    subscribe: async (url) => {
      const body = { target_url: receiver.url(), event: 'call.completed' }
      const response = await request(url, '/webhooks/subscribe', body)
      webhookSecret = WebhookSubscription.parse(await response.json()).secret
    },
    receivedCalls: () =>
      receiver.requests.map(({ headers, body }) => {
        const event = new Webhook(webhookSecret).verify(body, headers as Record<string, string>)
        return CallCompletedEvent.parse(event).data
      }),
    startAll: async () => {
      await Promise.all(processes.filter((each) => !each.isRunning()).map((each) => each.start()))
    },
    close: async () => {
      await Promise.all(processes.map((each) => each.kill()))
      await receiver.close()
      await redis.close()
    },
  }
}
