import { sql } from 'kysely'
import { repeat } from '../processes/serve.ts'
import { atLeast, type Row, takeTurns } from '../row.ts'
import { analyze, type HttpClients } from '../world.ts'

const clients = 32

export const agents: Row = {
  name: 'agents',
  run: async (bench) => {
    const { scale } = bench
    const world = await bench.openWorld()
    const { workspace_id: workspaceId, api_key: key } = world.demo
    await sql`
      insert into agent (workspace_id, name, status, greeting, variables)
      select ${workspaceId}, 'Agent ' || n, 'live', 'Hello {{first_name}}', '{product,company}'
      from generate_series(1, 60) n`.execute(world.owner)
    await analyze(world)
    const service = await bench.start('server', { ...world.environment, ROLE: 'api' })
    const peer = await bench.start('bare-agents', world.environment)
    const get = (http: HttpClients, path: string) => () =>
      repeat(scale.seconds, clients, async () => {
        const headers = { authorization: `Bearer ${key}` }
        await http.send({ method: 'GET', path, headers }, 200)
        return undefined
      })
    const ours = get(bench.openClients(service.port, clients), '/api/public/v1/agents/')
    const theirs = get(bench.openClients(peer.port, clients), '/agents/')
    for (const run of [ours, theirs, ours, theirs]) await run()
    return [
      {
        label: 'List of agents',
        what: '`GET /agents/`, 32 clients, 50 agents in a response',
        against:
          'a bare Fastify route that does the same with libraries: credential, quota, row-level security, schema, log',
        unit: 'requests/s',
        rounds: await takeTurns(scale.rounds, ours, theirs),
        limit: atLeast(0.6),
      },
    ]
  },
}
