import { LRUCache } from 'lru-cache'

/**
 * The deliveries that take turns with others to the same host: those of a subscription, or those to the callback URLs of
 * a workspace.
 */
export interface Lane {
  host: string
  id: number
}

/** How many deliveries of a lane to lease. */
export interface LaneShare extends Lane {
  limit: number
}

/** Whose turn it is. Each sender has its own. */
export interface Turns {
  /** The host that had its turn last. Hosts take turns in the order of their names. Empty at the beginning. */
  host: string
  /** By host, the lane that had its turn last, for hosts with more lanes than free slots. */
  lanes: LRUCache<string, number>
  /** When due retries got their turn, on the monotonic clock of `performance.now()`. */
  retriesAt: number
}

export const newTurns = (): Turns => ({ host: '', lanes: new LRUCache({ max: 1_000 }), retriesAt: -Infinity })

/**
 * Divides capacity evenly among hosts, and each host's share among its lanes. Capacity that a host or lane doesn't need
 * is left for the next time.
 *
 * @param lanes in the order of their turns
 * @param freeSlots how many more deliveries a host may get
 */
export function shareCapacity(
  turns: Turns,
  lanes: readonly Lane[],
  { capacity, freeSlots }: { capacity: number; freeSlots: (host: string) => number },
): LaneShare[] {
  const hosts = [...Map.groupBy(lanes, ({ host }) => host)]
  const open = hosts.filter(([host]) => freeSlots(host) > 0)
  const served = open.slice(0, capacity)
  const lastServed = served.at(-1)?.[0]
  if (served.length < open.length && lastServed !== undefined) turns.host = lastServed

  return divide(capacity, served.length).flatMap((share, index) => {
    const [host, lanesOfHost] = served[index] ?? ['', []]
    const free = Math.min(share, freeSlots(host))
    const chosen = lanesOfHost.slice(0, free)
    const limits = divide(free, chosen.length)
    const lastChosen = chosen.at(-1)
    // A host with one lane has no turns.
    if (lastChosen !== undefined && lanesOfHost.length > 1) turns.lanes.set(host, lastChosen.id)
    return chosen.map(({ id }, position) => ({ host, id, limit: limits[position] ?? 0 }))
  })
}

/** Divides a number into parts that differ by at most 1. The first parts are the larger ones. */
const divide = (total: number, parts: number): number[] =>
  Array.from({ length: parts }, (_, index) => Math.ceil((total - index) / parts))
