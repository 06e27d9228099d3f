import { createRandom } from './random.ts'

export const apiNames = ['api1', 'api2'] as const
export const workerNames = ['worker1', 'worker2'] as const
export const processNames = [...apiNames, ...workerNames] as const
export type ProcessName = (typeof processNames)[number]

/** A disruption. `atMs` is its time in milliseconds after the start of the disruption phase. */
export type Disruption = { atMs: number } & (
  | { kind: 'kill'; target: ProcessName | 'database'; downMs: number }
  /** Suspends the process without ending it, as happens to a virtual machine. */
  | { kind: 'freeze'; target: ProcessName; forMs: number }
  /** Closes the process's connections to the database. */
  | { kind: 'cut'; target: ProcessName }
  /** Discards the database's responses, and then closes the connections. */
  | { kind: 'deaf'; target: ProcessName; forMs: number }
  /** Holds back all bytes, and then delivers them. */
  | { kind: 'stall'; target: ProcessName; forMs: number }
  /** Silences the open connections without closing them. New connections work. */
  | { kind: 'black_hole'; target: ProcessName }
)

const weights = {
  kill_api: 4,
  kill_worker: 4,
  kill_database: 4,
  cut: 1.5,
  deaf: 1.5,
  stall: 1,
  black_hole: 0.7,
}

/** How long a process is frozen: longer than the lease of a call attempt, which is 30 seconds. */
const freezeMs = 33_000

/** Plans the disruptions of a round. They're always the same for the same seed and round. */
export function planDisruptions(options: {
  seed: number
  round: number
  seconds: number
  /** The average number of seconds between two disruptions. */
  every: number
}): Disruption[] {
  const random = createRandom(options.seed, options.round, 'disruptions')
  const disruptions: Disruption[] = []
  const endMs = options.seconds * 1000
  // Starts with each kind of kill, so that even a short round has all of them.
  const first: (keyof typeof weights)[] = random.pick([
    ['kill_api', 'kill_worker', 'kill_database'],
    ['kill_database', 'kill_api', 'kill_worker'],
    ['kill_worker', 'kill_database', 'kill_api'],
  ])
  const nextGapMs = () => random.between(0.5, 1.5) * options.every * 1000
  for (let atMs = nextGapMs(); atMs < endMs; atMs += nextGapMs()) {
    const kind = first.pop() ?? random.pickWeighted(weights)
    const target = random.pick(processNames)
    if (kind === 'kill_api')
      disruptions.push({ atMs, kind: 'kill', target: random.pick(apiNames), downMs: random.between(0, 1000) })
    else if (kind === 'kill_worker')
      disruptions.push({
        atMs,
        kind: 'kill',
        target: random.pick(workerNames),
        downMs: random.between(0, 1000),
      })
    else if (kind === 'kill_database')
      disruptions.push({ atMs, kind: 'kill', target: 'database', downMs: random.between(0, 3000) })
    else if (kind === 'deaf') disruptions.push({ atMs, kind, target, forMs: random.between(300, 3000) })
    else if (kind === 'stall') disruptions.push({ atMs, kind, target, forMs: random.between(1000, 9000) })
    else disruptions.push({ atMs, kind, target })
  }
  const frozen = random.pick(workerNames)
  disruptions.push({
    atMs: random.between(0, 0.7) * Math.max(0, endMs - freezeMs / 2),
    kind: 'freeze',
    target: frozen,
    forMs: freezeMs,
  })
  return disruptions.toSorted((one, other) => one.atMs - other.atMs)
}
