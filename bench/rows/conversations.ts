import { setTimeout } from 'node:timers/promises'
import { createApp } from '../../backend/app.ts'
import { startChat } from '../../backend/calling/chats/start-chat.ts'
import { takeTurn } from '../../backend/calling/chats/take-turn.ts'
import { openModelClient } from '../../backend/calling/conversation/model/model-client.ts'
import type { LlmSettings } from '../../backend/config.ts'
import { createToolServer } from '../../backend/tools/mcp/tool-server.ts'
import { atMost, type Bench, type Measurement, type Row, type Scale } from '../row.ts'
import { median, quantile } from '../statistics.ts'
import { analyze, type World } from '../world.ts'

/** How many conversations take place at the same time, and the seconds from one turn to the next. */
interface Pace {
  width: number
  secondsPerTurn: number
}

const fullPace: Pace = { width: 50, secondsPerTurn: 6 }
/** A pace that only shows that the row works. */
const shortPace: Pace = { width: 3, secondsPerTurn: 1.2 }

/** For each turn, the milliseconds that the model didn't cause. */
type Overheads = number[]

/**
 * Measures the overhead of a turn: the time from the contact's words until the model has received the whole request, plus the
 * time from the model's first word until the contact gets it. Each turn opens a session on the tool server, and is stored.
 */
export const conversations: Row = {
  name: 'conversations',
  run: async (bench) => {
    const { scale } = bench
    const model = await bench.start('timing-model', {})
    const url = `http://127.0.0.1:${model.port}/v1`
    const pace = scale.factor === 1 ? fullPace : shortPace
    const chats = await openChats(bench, await bench.openWorld(), url, pace.width)
    const turns = scale.factor === 1 ? 5 : 1
    await takeTurnsOf(chats, 1, pace)
    await takeTurnsOf(bareTurns(url, pace.width), 1, pace)
    const ours: Overheads[] = []
    const bare: Overheads[] = []
    for (let round = 0; round < Math.min(3, scale.rounds); round += 1) {
      ours.push(await takeTurnsOf(chats, turns, pace))
      bare.push(await takeTurnsOf(bareTurns(url, pace.width), turns, pace))
    }
    return [
      compare('p50', median, ours, bare, scale),
      compare('p95', (times) => quantile(times, 0.95), ours, bare, scale),
    ]
  },
}

const compare = (
  name: string,
  summarize: (times: Overheads) => number,
  ours: readonly Overheads[],
  bare: readonly Overheads[],
  { factor }: Scale,
): Measurement => ({
  label: `Overhead of a turn, ${name}`,
  what: `the time that a turn of ${fullPace.width} conversations adds to the model's until the first word, ${name}`,
  against: "a bare `fetch` that reads the model's stream, without tools and a database",
  unit: 'ms',
  compare: 'ours',
  rounds: ours.map((times, round) => ({ ours: summarize(times), peer: summarize(bare[round] ?? []) })),
  ...(name === 'p95' && factor === 1 && { limit: atMost(15) }),
})

/** Takes a turn, and returns its overhead in milliseconds. */
type TakeTurn = () => Promise<number>

async function takeTurnsOf(
  chats: readonly TakeTurn[],
  turns: number,
  { secondsPerTurn }: Pace,
): Promise<Overheads> {
  const times = await Promise.all(
    chats.map(async (take, index) => {
      // Spreads the starts of the conversations over the time between two turns.
      await setTimeout((index * secondsPerTurn * 1_000) / chats.length)
      const overheads: Overheads = []
      for (let turn = 0; turn < turns; turn += 1) {
        const next = setTimeout(secondsPerTurn * 1_000)
        overheads.push(await take())
        await next
      }
      return overheads
    }),
  )
  return times.flat()
}

/** Starts the tool server of a process, and starts chats that use it. */
async function openChats(bench: Bench, world: World, url: string, width: number): Promise<TakeTurn[]> {
  const { demo, owner } = world
  const settings: LlmSettings = {
    ...{ url, apiKey: undefined, apiKeyFile: undefined, fallback: undefined, tokensPerDay: 0 },
    models: ['timing'],
  }
  const model = await openModelClient(world.deps, settings)
  bench.onEnd(() => model.close())
  const deps = { ...world.deps, model }
  const tools = createToolServer(deps)
  const app = await createApp(deps, tools)
  await app.listen({ host: '127.0.0.1', port: 0 })
  bench.onEnd(() => app.close())
  const { port } = app.server.address() as { port: number }
  const listening = { ...deps, config: { ...deps.config, host: '127.0.0.1', port } }
  const { id: agentId } = await owner
    .selectFrom('agent')
    .select('id')
    .where('workspace_id', '=', demo.workspace_id)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow()
  const users = await addMembers(world, Math.ceil(width / 25))
  await analyze(world)
  const chats: TakeTurn[] = []
  for (let index = 0; index < width; index += 1) {
    const caller = { workspaceId: demo.workspace_id, userId: users[index % users.length] ?? 0 }
    const sampleValues = { first_name: 'Maya', last_name: null, variables: {} }
    const { id: chatId } = await startChat(listening, caller, agentId, { sampleValues })
    chats.push(async () => {
      const startedAt = now()
      let overhead = NaN
      const signal = new AbortController().signal
      for await (const event of takeTurn(
        listening,
        { ...caller, chatId },
        { type: 'speech', text: 'Yes, please.' },
        signal,
      ))
        if (event.type === 'said' && Number.isNaN(overhead)) overhead = toOverhead(startedAt, event.text)
      return overhead
    })
  }
  return chats
}

/** Adds members who start the chats, because the chats that each member can start per hour are limited. */
async function addMembers({ owner, demo }: World, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let number = 1; number <= count; number += 1) {
    const user = { email: `member-${number}@example.com`, name: `Member ${number}`, password_hash: 'none' }
    const { id } = await owner.insertInto('app_user').values(user).returning('id').executeTakeFirstOrThrow()
    await owner
      .insertInto('membership')
      .values({ workspace_id: demo.workspace_id, user_id: id, role: 'member' })
      .execute()
    ids.push(id)
  }
  return ids
}

const bareTurns = (url: string, width: number): TakeTurn[] =>
  Array.from({ length: width }, () => async () => {
    const startedAt = now()
    const body = JSON.stringify({
      model: 'timing',
      stream: true,
      messages: [{ role: 'user', content: 'Yes, please.' }],
    })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body })
    let overhead = NaN
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      const times = /"content":"([\d./]+)/.exec(decoder.decode(chunk as Uint8Array))
      if (times?.[1] !== undefined && Number.isNaN(overhead)) overhead = toOverhead(startedAt, times[1])
    }
    return overhead
  })

/** Returns the time until the model had received the request, plus the time since it wrote its first word. */
function toOverhead(startedAt: number, firstWord: string): number {
  const [receivedAt = NaN, writtenAt = NaN] = firstWord.split('/').map(Number)
  return receivedAt - startedAt + (now() - writtenAt)
}

const now = (): number => performance.timeOrigin + performance.now()
