import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { atMost, type Bench, type Limit, type Measurement, type Row } from '../row.ts'
import { hangUp } from '../tools/client.ts'
import { measureCalls, measureOpenings, startToolServer, type ToolSubject } from '../tools/subjects.ts'

/** The number of rounds before the measured ones. During these rounds, V8 compiles the code that runs often. */
const warmUps = 4

export const toolSessions: Row = {
  name: 'tool-sessions',
  run: async (bench) => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'outdial-bench-'))
    const servers = [
      await startServer(bench, 'ours', [dataDir]),
      await startServer(bench, 'floor'),
      await startServer(bench, 'sdk'),
    ]
    const { seconds } = bench.scale
    const sessions = Math.ceil(seconds * 200)
    const calls = (clients: number, perClient: number) => (subject: ToolSubject) =>
      measureCalls(subject, clients, clients * Math.ceil(seconds * perClient))
    return [
      ...compare(
        'Tool session',
        'a tool session opened: connect, `initialize`, `tools/list`',
        atMost(1.3),
        await measure(bench, servers, (subject) => measureOpenings(subject, sessions)),
      ),
      ...compare(
        'Tool call',
        'a tool call, 64 clients',
        undefined,
        await measure(bench, servers, calls(64, 60)),
      ),
      ...compare(
        'Tool call alone',
        'a tool call, 1 client',
        undefined,
        await measure(bench, servers, calls(1, 1_000)),
      ),
    ]
  },
}

async function startServer(bench: Bench, name: string, args?: string[]): Promise<ToolSubject> {
  const subject = await startToolServer(name, args)
  bench.onEnd(async () => subject.process.disconnect())
  return subject
}

/** Measures all servers in turns. Returns the CPU time of each server in each round, in microseconds. */
async function measure(
  { scale }: Bench,
  servers: readonly ToolSubject[],
  work: (subject: ToolSubject) => Promise<number>,
): Promise<number[][]> {
  const rounds: number[][] = []
  for (let round = -warmUps; round < scale.rounds; round += 1) {
    const times: number[] = []
    for (const server of servers) {
      times.push(await work(server))
      hangUp()
    }
    if (round >= 0) rounds.push(times)
  }
  return rounds
}

/**
 * Compares Outdial's tool server with the bare server and the SDK's server.
 *
 * @param limit of the comparison with the bare server; undefined if Outdial's server does work that the bare one doesn't
 */
function compare(
  label: string,
  what: string,
  limit: Limit | undefined,
  rounds: readonly (readonly number[])[],
): Measurement[] {
  const common = { what, unit: 'µs of CPU' }
  return [
    {
      ...common,
      label,
      against: 'a bare `node:http` server that checks no sessions and validates nothing',
      rounds: rounds.map(([ours = NaN, bare = NaN]) => ({ ours, peer: bare })),
      ...(limit !== undefined && { limit }),
    },
    {
      ...common,
      label: `${label}, against the SDK`,
      against: "the MCP SDK's plain server, without authentication",
      rounds: rounds.map(([ours = NaN, , sdk = NaN]) => ({ ours, peer: sdk })),
      limit: atMost(1),
    },
  ]
}
