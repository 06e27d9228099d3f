import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { atMost, type Bench, type Round, type Row, takeTurns } from '../row.ts'
import { hangUp } from '../tools/client.ts'
import {
  measureCalls,
  type MeasuredCpu,
  measureOpenings,
  startToolServer,
  type ToolSubject,
} from '../tools/subjects.ts'

const against = 'a bare `node:http` server that checks no sessions and validates nothing'
const unit = 'µs of CPU'

export const toolSessions: Row = {
  name: 'tool-sessions',
  run: async (bench) => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'outdial-bench-'))
    const ours = await startServer(bench, 'ours', [dataDir])
    const bare = await startServer(bench, 'floor')
    const sessions = Math.ceil(bench.scale.seconds * 200)
    const calls = Math.ceil(bench.scale.seconds * 60) * 64
    return [
      {
        label: 'Tool session opened',
        what: 'a tool session opened: connect, `initialize`, `tools/list`',
        against,
        unit,
        rounds: await compare(bench, [ours, bare], (subject) => measureOpenings(subject, sessions)),
        limit: atMost(1.3),
      },
      {
        label: 'Tool call',
        what: 'a tool call, 64 clients',
        against,
        unit,
        rounds: await compare(bench, [ours, bare], (subject) => measureCalls(subject, 64, calls)),
        limit: atMost(1.15),
      },
    ]
  },
}

async function startServer(bench: Bench, name: string, args?: string[]): Promise<ToolSubject> {
  const subject = await startToolServer(name, args)
  bench.onEnd(async () => subject.process.disconnect())
  return subject
}

/** Measures both servers in turns, after as many rounds as V8 takes to compile the code that runs often. */
async function compare(
  { scale }: Bench,
  [ours, bare]: readonly [ToolSubject, ToolSubject],
  measure: (subject: ToolSubject) => Promise<MeasuredCpu>,
): Promise<Round[]> {
  const run = (subject: ToolSubject) => async () => {
    const { cpu } = await measure(subject)
    hangUp()
    return cpu
  }
  await takeTurns(4, run(ours), run(bare))
  return takeTurns(scale.rounds, run(ours), run(bare))
}
