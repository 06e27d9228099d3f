import { afterEach, beforeEach, expect, it } from '@jest/globals'
import pino from 'pino'
import { shareModelHealth } from '../../../calling/conversation/model/shared-health.ts'
import type { Db } from '../../../platform/db/schema.ts'
import { collect, endOf, firstKey, turnRequest, useLanguageModels } from '../../support/language-model.ts'
import { createRewritingDatabase } from '../../support/rewriting-database.ts'
import { useTestDatabase } from '../../support/world.ts'

const lines: string[] = []
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
const models = useLanguageModels()
const database = useTestDatabase()
let statements: string[] = []
let db: Db
beforeEach(async () => {
  await database.db.deleteFrom('model_health').execute()
  lines.length = 0
  statements = []
  db = createRewritingDatabase(database.url, (text) => {
    if (text.includes('model_health')) statements.push(text)
    return text
  })
})
afterEach(() => db.destroy())

/** Opens a model client as another process of the installation does. */
const openProcess = (processDb = database.db) =>
  models.open({ health: shareModelHealth({ db: processDb, clock: models.clock, log }) })

type Client = Awaited<ReturnType<typeof openProcess>>

const speak = async (client: Client) => endOf(await collect(client.streamTurn(turnRequest('Hi'))))

it("after three failures of the first model in a row, sends all processes' requests to the second one for a minute", async () => {
  const [one, other] = [await openProcess(), await openProcess()]
  models.first.behaviors.push('500')
  await speak(one)
  await speak(other)
  await speak(one)
  expect(models.first.requests).toHaveLength(3)
  for (const client of [one, other]) expect(await speak(client)).toMatchObject({ type: 'finish' })
  expect(models.first.requests).toHaveLength(3)

  models.clock.advance(60_000)
  await speak(other)
  expect(models.first.requests).toHaveLength(4)
  await speak(one)
  expect(models.first.requests).toHaveLength(4)
})

it('once one process gets an answer from the first model, all processes use that model again', async () => {
  const [one, other] = [await openProcess(), await openProcess()]
  models.first.behaviors.push('500')
  for (let turn = 0; turn < 3; turn += 1) await speak(one)
  models.clock.advance(60_000)
  models.first.behaviors.length = 0
  await speak(other)
  models.first.behaviors.push('500')
  for (let turn = 0; turn < 3; turn += 1) await speak(one)
  expect(models.first.requests).toHaveLength(7)
})

it("if the model's server rejects a request, such as one that's too long, doesn't count this as a failure of the model", async () => {
  const client = await openProcess()
  models.first.behaviors.push('400')
  for (let turn = 0; turn < 3; turn += 1) expect(await speak(client)).toMatchObject({ type: 'finish' })
  models.first.behaviors.length = 0
  const requests = models.first.requests.length
  await speak(client)
  expect(models.first.requests).toHaveLength(requests + 1)
})

it('as long as the model answers, reads the failure count with one statement per turn, and writes nothing', async () => {
  const client = await openProcess(db)
  for (let turn = 1; turn <= 3; turn += 1) {
    await speak(client)
    expect(statements).toHaveLength(turn)
  }
})

it("stores the model's URL and name, but not its key", async () => {
  models.first.behaviors.push('500')
  await speak(await openProcess())
  const rows = await database.db.selectFrom('model_health').select(['key', 'failures']).execute()
  expect(rows).toEqual([{ key: `${models.first.url} outdial-fake`, failures: 1 }])
  expect(JSON.stringify(rows)).not.toContain(firstKey)
})

it("if the database fails, still asks the first model first, and doesn't fail the turn", async () => {
  const failing = createRewritingDatabase(database.url, (text) =>
    text.replaceAll('model_health', 'no_such_table'),
  )
  try {
    const client = await openProcess(failing)
    expect(await speak(client)).toMatchObject({ type: 'finish' })
    models.first.behaviors.push('500')
    expect(await speak(client)).toMatchObject({ type: 'finish' })
    expect([models.first.requests.length, models.second.requests.length]).toEqual([2, 1])
    expect(lines.join()).toContain("failed to read or save a language model's failures")
  } finally {
    await failing.destroy()
  }
})
