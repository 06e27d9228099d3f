/** The result for an item that must run alone, for example because another transaction has locked its row. */
export const leftOut: unique symbol = Symbol('left out')

/**
 * Handles items of one group, all or nothing. Returns a result for each item, in the same order. With `isAlone`, waits for
 * a locked row instead of leaving the item out.
 */
type Operation<Item, Result> = (
  groupId: number,
  items: readonly Item[],
  isAlone: boolean,
) => Promise<readonly (Result | typeof leftOut)[]>

interface ShareOptions<Item> {
  /** Maximum number of items in a batch. */
  maxSize: number
  /** Maximum number of batches and single items that run at the same time. */
  maxRunning: number
  /** Maximum number of batches of one group that run at the same time, so that a slow group leaves capacity to others. */
  maxRunningPerGroup: number
  /**
   * After how many milliseconds a batch counts as slow, perhaps because it waits for a lock. A slow batch doesn't count
   * toward `maxRunningPerGroup`, but its group can use only half of `maxRunning`, and never the last free place. By
   * default, batches never count as slow.
   */
  slowAfterMs?: number
  /**
   * How many milliseconds an item waits for other items of its group if a batch of the group is running or has just ended
   * (see `restRounds`). Otherwise, or with 0, it waits only for items of the same turn of the event loop. By default, an item
   * doesn't wait.
   */
  gatherMs?: number
  /** Maximum time that an item waits in total, for its batch and, if needed, to run alone. By default, there's no limit. */
  deadline?: { maxWaitMs: number; createError: () => Error }
  /**
   * Items of the same group that share a key never run at the same time, whether in batches or alone. By default, items
   * have no keys.
   */
  keysOf?: (item: Item) => readonly string[]
  /** Returns the group that an item belongs to when it runs alone. By default, it's the same group as for batches. */
  aloneGroupOf?: (item: Item) => number
  /** Returns true if a failed batch certainly changed nothing. Its items then run alone. By default, they fail with it. */
  isRolledBack?: (error: unknown) => boolean
  /** Called when the items of a batch run alone because the batch was rolled back. */
  onRollback?: (error: unknown, itemCount: number) => void
}

interface Entry<Item, Result> {
  groupId: number
  item: Item
  keys: readonly string[]
  /** The time at which the item stops waiting for its turn, in milliseconds on the monotonic clock of `performance.now()`. */
  waitsUntil: number
  timer: NodeJS.Timeout | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** Items that wait, by group. The group whose turn is next comes first. */
type Queues<Item, Result> = Map<number, Entry<Item, Result>[]>

const maxAlonePerGroup = 2

/**
 * How long a group still counts as busy after its last batch, as a multiple of `gatherMs`. With 1, groups stopped counting
 * as busy between most batches when many processes shared the work, and batches became small.
 */
const restRounds = 5

/**
 * Combines items that arrive at about the same time into batches. Returns a function that adds an item, and settles with
 * the item's own result. Without `gatherMs`, an item waits only while the maximum number of batches is running, and the
 * next batch takes the items that have arrived. Groups take turns.
 *
 * If a batch left out an item or was rolled back, the item runs alone, with the same operation. So a locked row delays only
 * its own item, and a bad item doesn't make others fail.
 */
export function share<Item, Result>(
  operation: Operation<Item, Result>,
  options: ShareOptions<Item>,
): (groupId: number, item: Item) => Promise<Result> {
  const { maxSize, maxRunning, maxRunningPerGroup, slowAfterMs, gatherMs, deadline } = options
  const { keysOf, aloneGroupOf, isRolledBack, onRollback } = options
  const waiting: Queues<Item, Result> = new Map()
  /** Items that wait until they can run alone. Meanwhile, their keys stay busy. */
  const waitingAlone: Queues<Item, Result> = new Map()
  /** Counts the batches of each group that run: those that have run for `slowAfterMs`, and the others. */
  const running = new Map<number, { slow: number; others: number }>()
  const runningAlone = new Map<number, number>()
  /** Groups whose items wait for more items to arrive. */
  const gathering = new Set<number>()
  /** Groups whose last batch ended recently, with the timers that remove them. */
  const resting = new Map<number, NodeJS.Timeout>()
  const busyKeys = new Set<string>()
  let runningCount = 0
  let aloneCount = 0

  const run = async (groupId: number, items: readonly Item[], isAlone: boolean) => {
    const results = await operation(groupId, items, isAlone)
    if (results.length !== items.length) throw new Error('invariant: a batch has a result for each item')
    return results
  }

  const freeKeys = ({ keys }: Entry<Item, Result>) => keys.forEach((key) => busyKeys.delete(key))

  const end = (entry: Entry<Item, Result>, result: Result) => {
    freeKeys(entry)
    entry.resolve(result)
  }

  const fail = (entry: Entry<Item, Result>, error: unknown) => {
    freeKeys(entry)
    entry.reject(error)
  }

  /**
   * Separates the items that can run now from those that must wait. An item never overtakes another with a common key:
   * otherwise, an item with several keys might never find all of them free.
   */
  const takeBatch = (entries: Entry<Item, Result>[]) => {
    const batch: Entry<Item, Result>[] = []
    const left: Entry<Item, Result>[] = []
    const keysOfLeft = new Set<string>()
    for (const entry of entries) {
      const canRun =
        batch.length < maxSize && !entry.keys.some((key) => busyKeys.has(key) || keysOfLeft.has(key))
      const keys = canRun ? busyKeys : keysOfLeft
      entry.keys.forEach((key) => keys.add(key))
      ;(canRun ? batch : left).push(entry)
    }
    return { batch, left }
  }

  const runBatch = async (groupId: number, batch: readonly Entry<Item, Result>[]) => {
    const group = running.get(groupId) ?? { slow: 0, others: 0 }
    let kind: keyof typeof group = 'others'
    const setSlow = () => {
      kind = 'slow'
      group.others -= 1
      group.slow += 1
      startBatches()
    }
    runningCount += 1
    group.others += 1
    running.set(groupId, group)
    const timer = slowAfterMs === undefined ? undefined : setTimeout(setSlow, slowAfterMs)
    try {
      const items = batch.map(({ item }) => item)
      const results = await run(groupId, items, false)
      batch.forEach((entry, index) => {
        const result = results[index] as Result | typeof leftOut
        if (result === leftOut) waitAlone(entry)
        else end(entry, result)
      })
    } catch (error) {
      if (isRolledBack?.(error) === true) {
        onRollback?.(error, batch.length)
        batch.forEach(waitAlone)
      } else {
        batch.forEach((entry) => fail(entry, error))
      }
    } finally {
      clearTimeout(timer)
      runningCount -= 1
      group[kind] -= 1
      if (group.slow + group.others === 0) {
        running.delete(groupId)
        rest(groupId)
      }
      startAlone()
      startBatches()
    }
  }

  const runAlone = async (aloneGroupId: number, entry: Entry<Item, Result>) => {
    runningCount += 1
    aloneCount += 1
    runningAlone.set(aloneGroupId, (runningAlone.get(aloneGroupId) ?? 0) + 1)
    try {
      const [result] = await run(entry.groupId, [entry.item], true)
      if (result === leftOut) throw new Error('invariant: an item that runs alone is never left out')
      end(entry, result as Result)
    } catch (error) {
      fail(entry, error)
    } finally {
      runningCount -= 1
      aloneCount -= 1
      const remaining = (runningAlone.get(aloneGroupId) ?? 1) - 1
      if (remaining > 0) runningAlone.set(aloneGroupId, remaining)
      else runningAlone.delete(aloneGroupId)
      // Here, batches start before single items. After a batch, single items start first. So both get turns, even if
      // `maxRunning` is 1.
      startBatches()
      startAlone()
    }
  }

  const mayStartBatch = (groupId: number): boolean => {
    const group = running.get(groupId)
    if (group === undefined) return true
    const { slow, others } = group
    if (others >= maxRunningPerGroup) return false
    return slow === 0 || (slow + others < Math.floor(maxRunning / 2) && runningCount < maxRunning - 1)
  }

  const startBatches = () => {
    for (const [groupId, entries] of waiting) {
      if (runningCount >= maxRunning) return
      if (gathering.has(groupId) || !mayStartBatch(groupId)) continue
      const { batch, left } = takeBatch(entries)
      if (batch.length === 0) continue
      waiting.delete(groupId)
      if (left.length > 0) waiting.set(groupId, left) // moves the group to the end
      batch.forEach(({ timer }) => clearTimeout(timer))
      void runBatch(groupId, batch)
    }
  }

  /**
   * Returns whether an item of a group can run alone. One place stays free for batches if `maxRunning` is more than 1. The
   * last of the other places stays free for a group that has no item running alone yet.
   */
  const mayStartAlone = (aloneGroupId: number): boolean => {
    const maxAlone = Math.max(1, maxRunning - 1)
    const ofGroup = runningAlone.get(aloneGroupId) ?? 0
    if (ofGroup === 0) return aloneCount < maxAlone
    return ofGroup < maxAlonePerGroup && aloneCount < maxAlone - 1
  }

  const startAlone = () => {
    for (const [aloneGroupId, entries] of waitingAlone) {
      if (runningCount >= maxRunning) return
      if (!mayStartAlone(aloneGroupId)) continue
      waitingAlone.delete(aloneGroupId)
      const entry = entries.shift()
      if (entry === undefined) continue
      if (entries.length > 0) waitingAlone.set(aloneGroupId, entries) // moves the group to the end
      clearTimeout(entry.timer)
      void runAlone(aloneGroupId, entry)
    }
  }

  /** Adds an item to a queue, and rejects it if it's still there at its deadline. */
  const wait = (queues: Queues<Item, Result>, groupId: number, entry: Entry<Item, Result>) => {
    const entries = queues.get(groupId) ?? []
    entries.push(entry)
    queues.set(groupId, entries)
    if (deadline === undefined) return
    const reject = () => {
      const left = (queues.get(groupId) ?? []).filter((other) => other !== entry)
      if (left.length > 0) queues.set(groupId, left)
      else queues.delete(groupId)
      if (queues === waitingAlone) freeKeys(entry)
      entry.reject(deadline.createError())
      startBatches() // other items may have waited for its keys
    }
    entry.timer = setTimeout(reject, entry.waitsUntil - performance.now())
  }

  const waitAlone = (entry: Entry<Item, Result>) =>
    wait(waitingAlone, aloneGroupOf?.(entry.item) ?? entry.groupId, entry)

  const rest = (groupId: number) => {
    if (gatherMs === undefined || gatherMs === 0) return
    clearTimeout(resting.get(groupId))
    resting.set(
      groupId,
      setTimeout(() => resting.delete(groupId), restRounds * gatherMs),
    )
  }

  const gather = (groupId: number) => {
    if (gatherMs === undefined) return
    gathering.add(groupId)
    const endGathering = () => {
      gathering.delete(groupId)
      startBatches()
    }
    const isBusy = running.has(groupId) || resting.has(groupId)
    // A timer of 0 ms would take 1 ms.
    if (gatherMs > 0 && isBusy) setTimeout(endGathering, gatherMs)
    else setImmediate(endGathering)
  }

  return (groupId, item) =>
    new Promise((resolve, reject) => {
      if (!waiting.has(groupId) && !gathering.has(groupId)) gather(groupId)
      const keys = keysOf?.(item).map((key) => `${groupId} ${key}`) ?? []
      const waitsUntil = performance.now() + (deadline?.maxWaitMs ?? 0)
      wait(waiting, groupId, { groupId, item, keys, waitsUntil, timer: undefined, resolve, reject })
      startBatches()
    })
}
