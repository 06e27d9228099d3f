import { createApp } from '../../backend/app.ts'
import { measurePage, signIn } from '../dashboard/browse.ts'
import { seed } from '../dashboard/seed.ts'
import { atMost, type Row, takeTurns } from '../row.ts'
import { addFinishedCalls } from '../seeds/finished-calls.ts'
import { median } from '../statistics.ts'

const pagesPerRound = 15

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
    const openPages = async (workspace: typeof few) => {
      const browser = await signIn(origin, workspace)
      return (page: string) => async () => {
        const times: number[] = []
        for (let count = 0; count < pagesPerRound; count += 1)
          times.push(await measurePage(browser, `${origin}/w/${workspace.workspaceId}${page}`))
        return median(times)
      }
    }
    const [openMany, openFew] = [await openPages(many), await openPages(few)]
    const compare = async (page: string) => {
      await takeTurns(1, openMany(page), openFew(page)) // compiles the code, and caches the plans
      return takeTurns(scale.rounds, openMany(page), openFew(page))
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
        label: 'List of many calls',
        what: `the list of calls of ${size}`,
        rounds: await compare('/calls'),
        ...common,
      },
    ]
  },
}
