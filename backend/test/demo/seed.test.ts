import { beforeAll, expect, it } from '@jest/globals'
import { inTransaction } from '../../platform/db/transaction.ts'
import { seedDemo } from '../../service/demo/seed-demo.ts'
import { openSse, type RawSession } from '../support/mcp.ts'
import { useToolServiceWorld } from '../support/service-with-tools.ts'

let demo: Awaited<ReturnType<typeof seedDemo>>
const world = useToolServiceWorld()
beforeAll(async () => {
  demo = await inTransaction(world.service.deps, seedDemo)
})

const open = (name: string): Promise<RawSession> => {
  const agent = demo.agents.find((one) => one.name === name)
  return openSse(world.service.url, { widget_id: agent?.widget_id ?? '' })
}

const namesOf = async (session: RawSession) =>
  (await session.request('tools/list')).result?.tools?.map(({ name }) => name)

it('creates two Live agents with different tools, and a draft agent for which no tool session can be opened', async () => {
  const ava = await namesOf(await open('Ava'))
  const ben = await namesOf(await open('Ben'))

  expect(ava).toEqual(expect.arrayContaining(['knowledge_search', 'contact_note', 'spreadsheet_append']))
  expect(ben).toEqual(expect.arrayContaining(['contact_update', 'spreadsheet_append']))
  expect(ben).not.toContain('knowledge_search')
  await expect(open('Cleo')).rejects.toThrow(/^403/)
})

it("gives the agent Ava documents, from which knowledge_search returns a price and the document's title", async () => {
  const { result } = await (await open('Ava')).call('knowledge_search', { query: 'price roof inspection' })

  expect(result?.content?.[0]?.text).toMatch(/^From "Prices and payment":[^]*\$149/)
})

it('gives each Live agent a spreadsheet of its own, to which spreadsheet_append adds rows', async () => {
  for (const name of ['Ava', 'Ben']) {
    const { result } = await (
      await open(name)
    ).call('spreadsheet_append', {
      values: { name: 'Maya Okafor', result: `Talked to ${name}` },
    })
    expect(result?.content?.[0]?.text).toBe('Row added to the spreadsheet.')
  }

  const rows = await world.database.db
    .selectFrom('spreadsheet')
    .innerJoin('spreadsheet_row', 'spreadsheet_row.spreadsheet_id', 'spreadsheet.id')
    .select(['name', 'cells'])
    .orderBy('name')
    .execute()
  expect(rows).toEqual([
    { name: 'Appointments', cells: ['Maya Okafor', 'Talked to Ben'] },
    { name: 'New leads', cells: ['Maya Okafor', 'Talked to Ava'] },
  ])
})
