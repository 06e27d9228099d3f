import { type HttpClients, openClients, openWorld, startProcess, type Subject, type World } from './world.ts'

/** One row of the benchmark: what it measures, and the peer that each of its figures is compared with. */
export interface Row {
  /** `npm run bench -- NAME` runs only this row. */
  name: string
  run: (bench: Bench) => Promise<Measurement[]>
}

export interface Measurement {
  /** A few words, for the picture. */
  label: string
  what: string
  /** The peer. Leave it out if the figure has none. */
  against?: string
  unit: string
  /** Ours and the peer's are measured right after one another, so that other programs affect both. */
  rounds: Round[]
  /** The figure that the limit applies to. By default, ours divided by the peer's. */
  compare?: 'ratio' | 'difference' | 'ours'
  /** Leave it out if the figure only explains others. */
  limit?: Limit
  notes?: string
}

export interface Round {
  ours: number
  /** NaN without a peer. */
  peer: number
}

export interface Limit {
  at: 'least' | 'most'
  value: number
}

export const atLeast = (value: number): Limit => ({ at: 'least', value })
export const atMost = (value: number): Limit => ({ at: 'most', value })

/** How much a run measures. */
export interface Scale {
  /** 1 for results that are saved. BENCH_SCALE=0.02 checks in minutes that all rows still work. */
  factor: number
  rounds: number
  /** Seconds of work in a round. */
  seconds: number
  /** Claims in a round. */
  claims: number
  /** Views of a page in a round. */
  views: number
  /** How many calls the rows about large databases have. */
  manyCalls: number
  /** How many finished calls the large databases of `claim` and `lists` have in addition. */
  finishedCalls: number
}

/** Returns fewer and shorter rounds and fewer calls for a factor below 1. */
export const toScale = (factor: number, finishedCalls = 0): Scale => ({
  factor,
  // A single round shows that a row works.
  rounds: factor < 0.01 ? 1 : Math.max(3, Math.ceil(7 * Math.sqrt(factor))),
  seconds: Math.max(0.3, 3 * Math.sqrt(factor)),
  claims: Math.max(10, Math.ceil(100 * Math.sqrt(factor))),
  views: Math.max(3, Math.ceil(15 * Math.sqrt(factor))),
  manyCalls: Math.max(2_000, Math.round(1_000_000 * factor)),
  finishedCalls,
})

/** Starts processes and databases, which end with the row. */
export interface Bench {
  scale: Scale
  openWorld: () => Promise<World>
  /** Starts a file of `processes/`. */
  start: (name: string, environment: Record<string, string>) => Promise<Subject>
  openClients: (port: number, clients: number) => HttpClients
  onEnd: (close: () => Promise<unknown>) => void
}

/** Runs a row, and ends what it started in reverse order, even if it fails. */
export async function runRow(row: Row, scale: Scale): Promise<Measurement[]> {
  const closings: (() => Promise<unknown>)[] = []
  const onEnd = (close: () => Promise<unknown>) => void closings.unshift(close)
  const bench: Bench = {
    scale,
    onEnd,
    openWorld: async () => {
      const world = await openWorld()
      onEnd(world.close)
      return world
    },
    start: async (name, environment) => {
      const subject = await startProcess(name, environment)
      onEnd(subject.stop)
      return subject
    },
    openClients: (port, clients) => {
      const opened = openClients(port, clients)
      onEnd(opened.close)
      return opened
    },
  }
  try {
    return await row.run(bench)
  } finally {
    for (const close of closings) await close()
  }
}

/** Measures ours and the peer's in turns. Which one is first alternates, because each leaves the database larger. */
export async function takeTurns(
  rounds: number,
  ours: () => Promise<number>,
  peer: () => Promise<number>,
): Promise<Round[]> {
  const results: Round[] = []
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) {
      const first = await ours()
      results.push({ ours: first, peer: await peer() })
    } else {
      const first = await peer()
      results.push({ ours: await ours(), peer: first })
    }
  }
  return results
}
