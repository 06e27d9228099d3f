import { LRUCache } from 'lru-cache'

/**
 * A group of deliveries to one host that takes turns with the host's other groups. It has the deliveries of a subscription, or
 * those to the callback URLs of a workspace.
 */
export interface Lane {
  host: string
  id: number
}

/** The number of deliveries of a lane to lease. */
export interface LaneShare extends Lane {
  limit: number
}

/** Remembers which hosts and lanes had their turns last. Each sender has a separate object. */
export interface SenderTurns {
  /** The host that had its turn last. Hosts take turns in the order of their names. Empty at the beginning. */
  host: string
  /** Maps a host, if several of its lanes could get deliveries, to the lane that had its turn last. */
  lanes: LRUCache<string, number>
  /** The time when due retries last got a turn, on the monotonic clock of `performance.now()`. */
  retriesAt: number
}

export const newSenderTurns = (): SenderTurns => ({
  host: '',
  lanes: new LRUCache({ max: 1_000 }),
  retriesAt: -Infinity,
})

/** Returns a lane's key for maps and sets. */
export const toLaneKey = (host: string, laneId: number): string => `${laneId} ${host}`

/** The slots in which a sender may lease deliveries. */
interface Slots {
  /** Maximum deliveries for each host. */
  perHost: number
  /** How many deliveries a lane may get in addition, because its receiver responds fast. */
  ahead: (lane: Lane) => number
  usedByHost: (host: string) => number
  usedByLane: (lane: Lane) => number
}

/**
 * Divides capacity evenly among hosts, and each host's share among its lanes. A lane whose receiver doesn't respond fast gets
 * nothing while it uses its share of the host's slots, so that the other lanes get their shares. Capacity that a host or lane
 * doesn't need is left for the next claim.
 *
 * @param lanes in the order of their turns
 */
export function shareAmongLanes(
  turns: SenderTurns,
  lanes: readonly Lane[],
  { capacity, slots }: { capacity: number; slots: Slots },
): LaneShare[] {
  const hosts = [...Map.groupBy(lanes, ({ host }) => host)].map(([host, lanesOfHost]) => {
    // Divides the slots as if there were one more lane, so that a new lane finds free slots when it gets a delivery.
    const fairShare = Math.max(1, Math.floor(slots.perHost / (lanesOfHost.length + 1)))
    const withFree = lanesOfHost.map((lane) => ({
      ...lane,
      free: fairShare + slots.ahead(lane) - slots.usedByLane(lane),
    }))
    const ahead = lanesOfHost.reduce((sum, lane) => sum + slots.ahead(lane), 0)
    // Deliveries of a lane beyond its share, such as those that were leased ahead earlier, take nothing from the other
    // lanes.
    const beyondShares = withFree.reduce((sum, { free }) => sum + Math.max(0, -free), 0)
    return {
      host,
      free: slots.perHost + ahead + beyondShares - slots.usedByHost(host),
      lanes: withFree.filter(({ free }) => free > 0),
    }
  })
  const open = hosts.filter((each) => each.free > 0 && each.lanes.length > 0)
  const served = open.slice(0, capacity)
  const lastServed = served.at(-1)?.host
  if (served.length < open.length && lastServed !== undefined) turns.host = lastServed

  return divide(capacity, served.length).flatMap((share, index) => {
    const { host, free, lanes: lanesOfHost } = served[index] ?? { host: '', free: 0, lanes: [] }
    const chosen = lanesOfHost.slice(0, Math.min(share, free))
    const limits = divide(Math.min(share, free), chosen.length)
    const lastChosen = chosen.at(-1)
    // The lanes of a host take turns only if there are several.
    if (lastChosen !== undefined && lanesOfHost.length > 1) turns.lanes.set(host, lastChosen.id)
    return chosen.map((lane, position) => ({
      ...{ host, id: lane.id },
      limit: Math.min(limits[position] ?? 0, lane.free),
    }))
  })
}

/** Divides a number into parts that differ by at most 1. The first parts are the larger ones. */
const divide = (total: number, parts: number): number[] =>
  Array.from({ length: parts }, (_, index) => Math.ceil((total - index) / parts))
