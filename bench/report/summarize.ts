import type { Limit, Measurement } from '../row.ts'
import { median, quantile } from '../statistics.ts'

/** The figures that summarize a measurement's rounds, in the format in which they're saved. */
export interface Figures {
  row: string
  /** The figure's name in the picture: a few words. */
  label: string
  what: string
  against: string | null
  unit: string
  compare: 'ratio' | 'difference' | 'ours'
  limit: Limit | null
  /** The median of the rounds. */
  ours: number
  peer: number | null
  /** The figure that the limit applies to, with its quartiles over the rounds. */
  result: { median: number; lower: number; upper: number }
  /** Null if there's no limit. */
  isMet: boolean | null
  rounds: number
  notes: string | null
}

/** Figures, and the run that measured them. */
export interface SavedFigures extends Figures {
  date: string
  commit: string
}

/** Compares our figure with the peer's in each round, and summarizes the comparisons and both figures. */
export function summarize(row: string, measurement: Measurement): Figures {
  const { label, what, against, unit, rounds, compare = 'ratio', limit, notes } = measurement
  const compared = rounds.map(({ ours, peer }) => {
    if (compare === 'ours') return ours
    return compare === 'ratio' ? ours / peer : ours - peer
  })
  const result = median(compared)
  const peer = median(rounds.map((round) => round.peer))
  return {
    row,
    label,
    what,
    against: against ?? null,
    unit,
    compare,
    limit: limit ?? null,
    ours: round(median(rounds.map(({ ours }) => ours))),
    peer: Number.isNaN(peer) ? null : round(peer),
    result: {
      median: round(result),
      lower: round(quantile(compared, 0.25)),
      upper: round(quantile(compared, 0.75)),
    },
    isMet: limit === undefined ? null : meets(result, limit),
    rounds: rounds.length,
    notes: notes ?? null,
  }
}

const meets = (result: number, { at, value }: Limit): boolean =>
  at === 'least' ? result >= value : result <= value

/** Rounds to four digits. Further digits are noise. */
const round = (value: number): number => Number(value.toPrecision(4))
