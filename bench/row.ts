import { type HttpClients, openClients, openWorld, startProcess, type Subject, type World } from './world.ts'

/** A row of the benchmark. It measures figures, and compares each with a peer's. */
export interface Row {
  /** The name in `npm run bench -- NAME`, which measures only this row. */
  name: string
  run: (bench: Bench) => Promise<Measurement[]>
}

export interface Measurement {
  /** The figure's name in the picture: a few words. */
  label: string
  what: string
  /** What the figure is compared with. Undefined if it isn't compared. */
  against?: string
  unit: string
  /** Our figure and the peer's are measured one right after the other, so that other programs affect both equally. */
  rounds: Round[]
  /** How the figure that the limit applies to is computed. By default, it's ours divided by the peer's. */
  compare?: 'ratio' | 'difference' | 'ours'
  /** Undefined if the figure only explains other figures. */
  limit?: Limit
  notes?: string
}

export interface Round {
  ours: number
  /** NaN if there's no peer. */
  peer: number
}

export interface Limit {
  at: 'least' | 'most'
  value: number
}

export const atLeast = (value: number): Limit => ({ at: 'least', value })
export const atMost = (value: number): Limit => ({ at: 'most', value })

/** The size of a run. */
export interface Scale {
  /** 1 for results that are saved. BENCH_SCALE=0.02 only checks, in a few minutes, that all rows still work. */
  factor: number
  rounds: number
  /** How many seconds of work a round has. */
  seconds: number
  /** How many claims a round has. */
  claims: number
  /** How many page views a round has. */
  views: number
  /** How many calls the large databases have. */
  manyCalls: number
  /** How many finished calls the large databases of `claim` and `lists` have in addition. */
  finishedCalls: number
}

/** Returns a smaller size for a factor below 1: fewer and shorter rounds, and fewer calls. */
export const toScale = (factor: number, finishedCalls = 0): Scale => ({
  factor,
  // At a very small scale, one round is enough to show that a row works.
  rounds: factor < 0.01 ? 1 : Math.max(3, Math.ceil(7 * Math.sqrt(factor))),
  seconds: Math.max(0.3, 3 * Math.sqrt(factor)),
  claims: Math.max(10, Math.ceil(100 * Math.sqrt(factor))),
  views: Math.max(3, Math.ceil(15 * Math.sqrt(factor))),
  manyCalls: Math.max(2_000, Math.round(1_000_000 * factor)),
  finishedCalls,
})

/** Functions for a row. The processes and databases that they start end with the row. */
export interface Bench {
  scale: Scale
  openWorld: () => Promise<World>
  /** Starts the file of this name in `processes/`. */
  start: (name: string, environment: Record<string, string>) => Promise<Subject>
  openClients: (port: number, clients: number) => HttpClients
  onEnd: (close: () => Promise<unknown>) => void
}

/** Runs a row. Then closes what the row has opened, in reverse order and even if the row failed. */
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

/**
 * Measures our figure and the peer's in each round. The order alternates, because each measurement makes the database larger.
 */
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
