import { createApp } from '../../backend/app.ts'
import { measurePage, signIn } from '../dashboard/browse.ts'
import { seed } from '../dashboard/seed.ts'
import { atMost, type Row, takeTurns } from '../row.ts'
import { addFinishedCalls } from '../seeds/finished-calls.ts'
import { median } from '../statistics.ts'

export const lists: Row = {
  name: 'lists',
  run: async ({ openWorld, scale, onEnd }) => {
    const world = await openWorld()
    const few = await seed(world, 1_000)
    const many = await seed(world, scale.manyCalls)
    await addFinishedCalls(world, many.workspaceId, scale.finishedCalls)
    const app = await createApp(world.deps)
    onEnd(() => app.close())
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const openPages = async (workspace: typeof few, hasRecentChange = false) => {
      const browser = await signIn(origin, workspace, { hasRecentChange })
      return (page: string) => async () => {
        const times: number[] = []
        for (let count = 0; count < scale.views; count += 1)
          times.push(await measurePage(browser, `${origin}/w/${workspace.workspaceId}${page}`))
        return median(times)
      }
    }
    const [openMany, openFew] = [await openPages(many), await openPages(few)]
    const [countMany, countFew] = [await openPages(many, true), await openPages(few, true)]
    const compare = async (page: string, openMore = openMany, openFewer = openFew) => {
      await takeTurns(1, openMore(page), openFewer(page)) // compiles the code, and caches the plans
      return takeTurns(scale.rounds, openMore(page), openFewer(page))
    }
    const size = `a workspace with ${(scale.manyCalls + scale.finishedCalls).toLocaleString('en-US')} calls`
    const common = { against: 'one with 1,000 calls', unit: 'ms', limit: atMost(1.5) }
    return [
      {
        label: 'Overview of many calls',
        what: `the dashboard's overview of ${size}`,
        rounds: await compare('/overview'),
        ...common,
      },
      {
        label: 'Overview that counts',
        what: `the same, if all counts are made again: the first view in 10 seconds, and views after a form`,
        against: common.against,
        unit: common.unit,
        rounds: await compare('/overview', countMany, countFew),
      },
      {
        label: 'List of many calls',
        what: `the list of calls of ${size}`,
        rounds: await compare('/calls'),
        ...common,
      },
    ]
  },
}
