import { randomBytes } from 'node:crypto'
import type { Notify } from '../core/notify.ts'
import type { Db } from '../db/schema.ts'

/** The result of a request to another process. */
export type ReplicaResult =
  | { state: 'responded'; body: unknown }
  /** No process with this ID runs anymore. */
  | { state: 'gone' }
  /** Redis isn't available, or the other process runs but isn't connected to Redis. */
  | { state: 'unavailable' }
  /** The request was delivered and may have taken effect, but no response arrived in time. */
  | { state: 'unanswered' }

/** Connects the replicas, which are the processes that share a database, over Redis. Needs REDIS_URL. */
export interface Replicas {
  /** Identifies this process. The IDs of its tool sessions begin with it. */
  nodeId: string
  /** False without REDIS_URL. */
  isConnectable: boolean
  /** Returns the name under which a key is stored in Redis. The name doesn't reveal `key`. */
  toRedisKey(kind: string, key: string): string
  /** Runs a Lua script that an API request waits for. Returns undefined if Redis isn't available or takes too long. */
  runScript(script: string, keys: string[], values?: string[]): Promise<unknown>
  /** Sends a request to another process. */
  request(nodeId: string, body: unknown, timeoutMs: number): Promise<ReplicaResult>
  /** Handles the requests of other processes. */
  serve(handler: (body: unknown) => Promise<unknown>): void
  /** Returns a `notify` that also sends changes of tools to the other processes. Their changes are passed to `local`. */
  share(local: Notify): Notify
  close(): Promise<void>
}

/** A copy of the database that PostgreSQL keeps up to date, usually within milliseconds. */
export interface ReadReplica {
  /**
   * Returns a `Db` that reads the rows of one workspace from the replica, or from the database itself while the replica
   * is too old or unavailable.
   */
  openWorkspace(workspaceId: number): Db
  stop(): Promise<void>
}

export const newNodeId = (): string => randomBytes(8).toString('hex')

/** Creates the `Replicas` of a process without REDIS_URL, which has no connection to other processes. */
export const createLoneReplica = (): Replicas => ({
  nodeId: newNodeId(),
  isConnectable: false,
  toRedisKey: (kind, key) => `${kind} ${key}`,
  runScript: async () => undefined,
  request: async () => ({ state: 'gone' }),
  serve: () => {},
  share: (local) => local,
  close: async () => {},
})
