import { afterEach, expect, it } from '@jest/globals'
import { createClient } from '@redis/client'
import { sql } from 'kysely'
import { type Notify } from '../../platform/core/notify.ts'
import { connect } from '../../platform/db/connect.ts'
import { connectReplicas } from '../../platform/replicas/connect-replicas.ts'
import { newNodeId } from '../../platform/replicas/replicas.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import {
  createInstallation,
  describeWithRedis,
  redisUrl,
  type Replica,
  startReplica,
} from '../support/replicas.ts'
import { waitForValue, waitUntil } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

describeWithRedis('replicas', () => {
  const running: Replica[] = []
  afterEach(async () => {
    await Promise.all(running.splice(0).map((replica) => replica.stop()))
  })
  const start = async (installation = createInstallation(database.db), url = redisUrl) => {
    const replica = await startReplica(installation, { redisUrl: url })
    running.push(replica)
    return replica
  }

  /** Returns a list to which the replica adds the notifications that it gets, in order. */
  const listen = ({ notifier }: Replica): unknown[] => {
    const received: unknown[] = []
    const names: (keyof Notify)[] = [
      'callQueued',
      'deliveryQueued',
      'importQueued',
      'callCompleted',
      'attemptEnded',
    ]
    for (const name of names) notifier.connect({ [name]: () => received.push(name) })
    for (const name of ['toolsChanged', 'toolAccessEnded'] as const)
      notifier.connect({ [name]: (message: unknown) => received.push({ name, message }) })
    return received
  }

  it('notify each other only when tools change or access to tools ends, and only once each time', async () => {
    const installation = createInstallation(database.db)
    const [first, second] = [await start(installation), await start(installation)]
    const [ofFirst, ofSecond] = [listen(first), listen(second)]
    const { notify } = first.deps
    notify.callQueued()
    notify.deliveryQueued()
    notify.importQueued()
    notify.callCompleted({ outcome: 'answered', endedReason: null })
    notify.attemptEnded({ outcome: 'answered', endedReason: null })
    notify.toolsChanged({ workspaceId: 1, agentId: 2 })
    notify.toolAccessEnded({ workspaceId: 1, attemptId: 'an-attempt' })
    await waitUntil(() => ofSecond.length === 2)
    expect(ofSecond).toEqual([
      { name: 'toolsChanged', message: { workspaceId: 1, agentId: 2 } },
      { name: 'toolAccessEnded', message: { workspaceId: 1, attemptId: 'an-attempt' } },
    ])
    expect(ofFirst).toHaveLength(7)
  })

  it("ignore messages from other installations, and messages that weren't encrypted by an Outdial process", async () => {
    const [replica, stranger] = [await start(), await start()]
    const received = listen(replica)
    const client = createClient({ url: redisUrl })
    await client.connect()
    const channels = await client.pubSubChannels('outdial:*:all')
    for (const channel of channels)
      await client.publish(channel, '{"kind":"tools_changed","from":"x","change":{"workspaceId":1}}')
    stranger.deps.notify.toolsChanged({ workspaceId: 2 })
    await waitUntil(() => replica.logOutput().includes('ignored a message from Redis'))
    const { clock, attemptTokenKey } = replica.deps
    const other = await start({ db: database.db, clock, attemptTokenKey })
    other.deps.notify.toolsChanged({ workspaceId: 3 })
    await waitUntil(() => received.length > 0)
    expect(received).toEqual([{ name: 'toolsChanged', message: { workspaceId: 3 } }])
    client.destroy()
  })

  it('ignore a request that someone recorded in Redis and sends again, either immediately or after its time limit', async () => {
    const installation = createInstallation(database.db)
    const [first, second] = [await start(installation), await start(installation)]
    const handled: unknown[] = []
    second.deps.replicas.serve(async (body) => {
      handled.push(body)
      return 'done'
    })
    const { nodeId } = second.deps.replicas
    // Anyone with access to Redis can record a message and send it again.
    const recorder = createClient({ url: redisUrl })
    await recorder.connect()
    const recorded: [string, string][] = []
    await recorder.pSubscribe(`outdial:*:node:${nodeId}`, (message, channel) =>
      recorded.push([channel, message]),
    )
    expect(await first.deps.replicas.request(nodeId, 'first', 1_000)).toEqual({
      state: 'responded',
      body: 'done',
    })
    await waitUntil(() => recorded.length > 0)
    expect(recorded.join()).not.toContain('first')
    const [channel = '', message = ''] = recorded[0] ?? []
    const repeater = createClient({ url: redisUrl })
    await repeater.connect()
    for (const body of ['second', 'third']) {
      await repeater.publish(channel, message)
      expect(await first.deps.replicas.request(nodeId, body, 1_000)).toMatchObject({ state: 'responded' })
      installation.clock.advance(2_001)
    }
    expect(handled).toEqual(['first', 'second', 'third'])
    recorder.destroy()
    repeater.destroy()
  })

  it('distinguish a request that reached no process from a request that got no response', async () => {
    const installation = createInstallation(database.db)
    const [first, second] = [await start(installation), await start(installation)]
    second.deps.replicas.serve(() => new Promise(() => {}))
    const { nodeId } = second.deps.replicas
    expect(await first.deps.replicas.request(nodeId, null, 10)).toEqual({ state: 'unanswered' })
    expect(await first.deps.replicas.request('0'.repeat(16), null, 10)).toEqual({ state: 'gone' })
    await second.stop()
    expect(await first.deps.replicas.request(nodeId, null, 10)).toEqual({ state: 'gone' })
  })

  it('distinguish a killed process from one that only lost its connection to Redis', async () => {
    const { replicas } = (await start()).deps
    const nodeId = newNodeId()
    const recordAs = (seen: string) =>
      database.db
        .insertInto('replica')
        .values({ id: nodeId, role: 'api', seen_at: sql`now() - ${seen}::interval` })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: sql`excluded.seen_at` }))
        .execute()
    await recordAs('8 seconds')
    expect(await replicas.request(nodeId, null, 10)).toEqual({ state: 'unavailable' })
    await recordAs('11 seconds')
    expect(await replicas.request(nodeId, null, 10)).toEqual({ state: 'gone' })
  })

  it("don't treat a process as killed while the database, which could confirm it, is unreachable", async () => {
    const db = connect({ url: 'postgres://127.0.0.1:1/outdial' })
    const replicas = await connectReplicas(testDeps(db), redisUrl)
    expect(await replicas.request(newNodeId(), null, 10)).toEqual({ state: 'unavailable' })
    await replicas.close()
    await db.destroy()
  })

  it("after Redis took too long to count one request, don't wait for Redis to count the next one", async () => {
    const proxy = await createDatabaseProxy(redisUrl)
    const { replicas } = (await start(createInstallation(database.db), proxy.url)).deps
    const count = () => replicas.runScript('return 1', [])
    // On a busy machine, the first requests can time out even before the proxy is silent.
    await waitForValue(count, (value) => value === 1)
    proxy.silence()
    expect(await count()).toBeUndefined()
    let isDone = false
    void count().then(() => (isDone = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isDone).toBe(true)
    await proxy.disconnect()
  })

  it("start and handle requests while Redis is unreachable, and don't log the user or password for Redis", async () => {
    const url = 'redis://robin:the-password-of-redis@127.0.0.1:1/0'
    const replica = await start(createInstallation(database.db), url)
    await seedWorkspace(replica.deps)
    expect((await replica.app.inject('/readyz')).statusCode).toBe(200)
    expect((await replica.app.inject('/sign-in')).statusCode).toBe(200)
    expect(replica.logOutput()).toContain('Redis is unavailable, trying again every second')
    expect(replica.logOutput()).not.toMatch(/the-password-of-redis|robin/)
  })
})
