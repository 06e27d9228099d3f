import { createHmac, randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../core/durations.ts'
import { describeError } from '../core/errors.ts'
import { noNotify, type Notify } from '../core/notify.ts'
import { limitCheck } from '../db/outage.ts'
import { createSecretBox } from '../secrets/secret-box.ts'
import { connectRedis, failAfter } from './redis-connection.ts'
import { wasSeenRecently } from './replica-store.ts'
import { newNodeId, type ReplicaResult, type Replicas } from './replicas.ts'

/** How long a request waits for Redis, which normally responds faster. After that, the request continues without Redis. */
const defaultQuickMs = 100
/** After a failure or a slow response, Redis isn't used for this long, so that few requests wait. */
const skipMs = secondMs

/** A request to another process must arrive within this time. After that, the other process ignores it. */
const deliveryMs = 2 * secondMs

const Change = z.union([
  z.object({ workspaceId: z.int(), endedAttempt: z.string() }),
  z.object({ workspaceId: z.int(), agentId: z.int().optional() }),
])

/** A message between processes. A version may only add fields and kinds: two versions run side by side during an upgrade. */
const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tools_changed'), from: z.string(), change: Change }),
  z.object({
    kind: z.literal('request'),
    from: z.string(),
    id: z.string(),
    /** The time of expiration in milliseconds since 1970, by the database's clock, which all processes share. */
    expiresAt: z.number(),
    body: z.unknown(),
  }),
  z.object({ kind: z.literal('response'), id: z.string(), body: z.unknown() }),
])
type Message = z.infer<typeof Message>

type ReplicaDeps = Pick<Deps, 'attemptTokenKey' | 'db' | 'clock' | 'log' | 'metrics'>

/**
 * Connects this process with the other processes of the installation. Resolves after the first attempt to connect, even if
 * that fails: nothing waits for Redis.
 *
 * Redis sees no content. Messages are sealed and the names of counters are hashed, with keys that all processes with this
 * database have. So a stranger with access to Redis can't call tools, and installations can share a Redis server.
 */
export async function connectReplicas(
  deps: ReplicaDeps,
  url: string,
  { quickMs = defaultQuickMs }: { quickMs?: number } = {},
): Promise<Replicas> {
  const { db, clock, log } = deps
  const deriveKey = (purpose: string) =>
    createHmac('sha256', deps.attemptTokenKey).update(`replicas: ${purpose}`).digest('base64url')
  const box = createSecretBox([deriveKey('messages')])
  const nameKey = deriveKey('names')
  const prefix = `outdial:${deriveKey('prefix').slice(0, 12)}`
  const nodeId = newNodeId()
  const toChannel = (node: string) => `${prefix}:node:${node}`
  const broadcastChannel = `${prefix}:all`

  const pending = new Map<string, (body: unknown) => void>()
  /** IDs of handled requests, until long after they expire. Prevents handling a request twice. */
  const handled = new LRUCache<string, true>({ max: 50_000, ttl: 10 * deliveryMs })
  let notifyLocally: Notify = noNotify
  let handleRequest: ((body: unknown) => Promise<unknown>) | undefined
  let skipUntil = 0

  const connection = connectRedis(deps, {
    url,
    channels: [broadcastChannel, toChannel(nodeId)],
    onMessage: (text, channel) => receive(text, channel),
  })

  /** Returns the number of processes that got the message; undefined if Redis isn't available. */
  const publish = async (channel: string, message: Message): Promise<number | undefined> => {
    const client = connection.client()
    if (client === undefined) return undefined
    const sealed = box.seal(JSON.stringify(message), ['message', channel])
    try {
      return await failAfter(deliveryMs, client.publish(channel, sealed))
    } catch (error) {
      log.warn({ error: describeError(error) }, 'failed to send a message to another process')
      return undefined
    }
  }

  const respond = async ({ id, from, expiresAt, body }: Extract<Message, { kind: 'request' }>) => {
    if (handleRequest === undefined) return
    // Ignores a request whose sender has stopped waiting, or that someone with access to Redis repeats.
    if (expiresAt < clock.now().getTime() || handled.has(id)) return
    handled.set(id, true)
    const response = await handleRequest(body).catch((error: unknown) => {
      log.error({ error: describeError(error) }, 'failed to handle a request from another process')
      return null
    })
    await publish(toChannel(from), { kind: 'response', id, body: response })
  }

  const receive = (text: string, channel: string): void => {
    const opened = openMessage(text, channel)
    if (opened === undefined) {
      log.warn({ reason: 'unreadable' }, 'ignored a message from Redis')
      return
    }
    const { data: message } = Message.safeParse(opened)
    if (message === undefined) return // the message is of a kind that this version doesn't know
    if (message.kind === 'request') return void respond(message)
    if (message.kind === 'response') return pending.get(message.id)?.(message.body)
    if (message.from === nodeId) return
    const { change } = message
    if ('endedAttempt' in change)
      notifyLocally.toolAccessEnded({ workspaceId: change.workspaceId, attemptId: change.endedAttempt })
    else notifyLocally.toolsChanged(change)
  }

  const openMessage = (text: string, channel: string): unknown => {
    try {
      return JSON.parse(box.open(text, ['message', channel]))
    } catch {
      return undefined // not sealed by a process of this installation
    }
  }

  /**
   * Checks in the database why no process got a message: Redis can't distinguish a process that was killed from one that has
   * only lost its connection to Redis.
   */
  const findUnreachable = async (node: string): Promise<ReplicaResult> => {
    try {
      return { state: (await limitCheck(wasSeenRecently(db, node))) ? 'unavailable' : 'gone' }
    } catch (error) {
      log.warn({ error: describeError(error) }, 'failed to check if another process is running')
      return { state: 'unavailable' }
    }
  }

  const request = async (node: string, body: unknown, timeoutMs: number): Promise<ReplicaResult> => {
    const id = randomUUID()
    const response = Promise.withResolvers<unknown>()
    pending.set(id, response.resolve)
    const expiresAt = clock.now().getTime() + deliveryMs
    try {
      const receivers = await publish(toChannel(node), {
        ...{ kind: 'request', from: nodeId, id, expiresAt, body },
      })
      if (receivers === undefined) return { state: 'unavailable' }
      if (receivers === 0) return await findUnreachable(node)
      return await failAfter(timeoutMs, response.promise).then(
        (result) => ({ state: 'responded', body: result }),
        () => ({ state: 'unanswered' }),
      )
    } finally {
      pending.delete(id)
    }
  }

  await connection.firstAttempt
  return {
    nodeId,
    isConnectable: true,
    toRedisKey: (kind, key) =>
      `${prefix}:${kind}:${createHmac('sha256', nameKey).update(key).digest('base64url').slice(0, 22)}`,
    runScript: async (script, keys, values = []) => {
      const client = connection.client()
      if (client === undefined || performance.now() < skipUntil) return undefined
      try {
        return await failAfter(quickMs, client.eval(script, { keys, arguments: values }))
      } catch (error) {
        skipUntil = performance.now() + skipMs
        log.warn({ error: describeError(error) }, 'failed to use Redis')
        return undefined
      }
    },
    request,
    serve: (handler) => {
      handleRequest = handler
    },
    share: (local) => {
      notifyLocally = local
      const shareChange = (change: z.infer<typeof Change>) =>
        void publish(broadcastChannel, { kind: 'tools_changed', from: nodeId, change })
      return {
        ...local,
        toolsChanged: (change) => {
          local.toolsChanged(change)
          shareChange(change)
        },
        toolAccessEnded: (attempt) => {
          local.toolAccessEnded(attempt)
          shareChange({ workspaceId: attempt.workspaceId, endedAttempt: attempt.attemptId })
        },
      }
    },
    close: () => connection.close(),
  }
}
