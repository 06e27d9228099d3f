import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { type BenchClient, openClient } from './client.ts'
import { initialize, initialized, listTools, toolCalls } from './conversation.ts'

/** One of the compared servers: Outdial's, the SDK's plain server, or `node:http` alone. */
export interface ToolSubject {
  process: ChildProcess
  port: number
  queries: string[]
}

/** Starts one of the servers in this folder. Calling `process.disconnect()` ends it. */
export async function startToolServer(name: string, args: string[] = []): Promise<ToolSubject> {
  const file = path.join(import.meta.dirname, `${name}.ts`)
  const child = fork(file, args, {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [facts] = (await once(child, 'message')) as [Pick<ToolSubject, 'port' | 'queries'>]
  return { process: child, ...facts }
}

async function query<Reply>(subject: ToolSubject, question: string): Promise<Reply> {
  subject.process.send(question)
  const [reply] = (await once(subject.process, 'message')) as [Reply]
  return reply
}

const getCpu = (subject: ToolSubject) => query<{ user: number; system: number }>(subject, 'cpu')
/** Returns the server's heap in bytes, after garbage collection. */
export const getHeap = async (subject: ToolSubject) =>
  (await query<{ heapUsed: number }>(subject, 'memory')).heapUsed

const opened = new Map<ToolSubject, number>()

/** Opens a session: connects, initializes it, and lists the tools. */
export async function openSession(subject: ToolSubject): Promise<BenchClient> {
  const count = (opened.get(subject) ?? 0) + 1
  opened.set(subject, count)
  const client = await openClient(subject.port, subject.queries[count % subject.queries.length] ?? '')
  await client.request(initialize)
  await client.notify(initialized)
  await client.request(listTools)
  return client
}

/** Runs `work` `count` times, at most `width` at a time. */
export const repeatTimes = async (count: number, width: number, work: () => Promise<void>) => {
  let remaining = count
  const run = async () => {
    while (remaining > 0) {
      remaining -= 1
      await work()
    }
  }
  await Promise.all(Array.from({ length: width }, run))
}

/** Returns the server's CPU time per operation, in microseconds. */
async function measure(subject: ToolSubject, count: number, work: () => Promise<void>): Promise<number> {
  const before = await getCpu(subject)
  await work()
  const after = await getCpu(subject)
  return (after.user + after.system - before.user - before.system) / count
}

/** Measures opening and closing sessions, with eight clients at a time. */
export const measureOpenings = (subject: ToolSubject, count: number) =>
  measure(subject, count, () =>
    repeatTimes(count, 8, async () => {
      const client = await openSession(subject)
      client.close()
    }),
  )

/** Measures tool calls by `clients` clients, each with a separate session. */
export async function measureCalls(subject: ToolSubject, clients: number, count: number): Promise<number> {
  const sessions = await Promise.all(Array.from({ length: clients }, () => openSession(subject)))
  const measured = await measure(subject, count, async () => {
    await Promise.all(
      sessions.map(async (client) => {
        for (let callIndex = 0; callIndex < count / clients; callIndex += 1) {
          await client.request(toolCalls[callIndex % toolCalls.length] ?? listTools)
        }
      }),
    )
  })
  for (const client of sessions) client.close()
  return measured
}
