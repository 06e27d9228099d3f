/** Stands for the result of an item that must run alone, for example because another transaction has locked its row. */
export const leftOut: unique symbol = Symbol('left out')

/**
 * Does something for items of one group, all or nothing. Returns a result for each, in the same order. An item that runs
 * alone is never left out: the operation waits for what is locked.
 */
type Operation<Item, Result> = (
  groupId: number,
  items: readonly Item[],
  isAlone: boolean,
) => Promise<readonly (Result | typeof leftOut)[]>

interface ShareOptions<Item> {
  /** Items of one batch. */
  maxSize: number
  /** Batches and items alone that run at the same time. */
  maxRunning: number
  /** Batches of one group that run at the same time, so that a slow group leaves room for the others. */
  maxRunningPerGroup: number
  /**
   * A batch that has run this long, perhaps because it waits for a lock, lets another one of its group run. A group has at
   * most half of `maxRunning` then, and the last one is left for a group that has none. By default, no batch does.
   */
  slowAfterMs?: number
  /**
   * How many milliseconds an item waits for others of its group while a batch of it runs, or if one has ended shortly before
   * (`restRounds`). After a longer pause, or with 0, it waits only for those of the same turn of the event loop. By default, it
   * doesn't wait.
   */
  gatherMs?: number
  /** How long an item waits to run, first with others and then alone. By default, as long as it takes. */
  deadline?: { maxWaitMs: number; createError: () => Error }
  /** Two items of a group with a key in common never run at the same time, also if one runs alone. By default, none have. */
  keysOf?: (item: Item) => readonly string[]
  /** The group whose turn it is when an item runs alone. By default, the group whose items share batches. */
  aloneGroupOf?: (item: Item) => number
  /** Returns true if a batch that failed has certainly changed nothing, so that its items run alone. By default, none do. */
  isRolledBack?: (error: unknown) => boolean
  /** Called when the items of a batch run alone because it was rolled back. */
  onRollback?: (error: unknown, itemCount: number) => void
}

interface Entry<Item, Result> {
  groupId: number
  item: Item
  keys: readonly string[]
  /** When its deadline ends, on the monotonic clock of `performance.now()`. */
  waitsUntil: number
  timer: NodeJS.Timeout | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** Items that wait, by group. The group whose turn is next comes first. */
type Queues<Item, Result> = Map<number, Entry<Item, Result>[]>

const maxAlonePerGroup = 2

/**
 * A group stops being busy this many times `gatherMs` after its last batch. With 1, many processes that share the work
 * had a pause between most batches, and their batches became small.
 */
const restRounds = 5

/**
 * Lets items that arrive at about the same time share an operation, where one item is a batch of one. Returns a function
 * that resolves or rejects with the item's own result. Without `gatherMs`, an item waits only while the maximum number of
 * batches runs, and the next batch takes all items that have arrived. Groups take turns.
 *
 * An item runs alone, with the same operation, if the batch left it out or was rolled back. So a locked row delays only
 * its item, and a bad item fails for itself.
 */
export function share<Item, Result>(
  operation: Operation<Item, Result>,
  options: ShareOptions<Item>,
): (groupId: number, item: Item) => Promise<Result> {
  const { maxSize, maxRunning, maxRunningPerGroup, slowAfterMs, gatherMs, deadline } = options
  const { keysOf, aloneGroupOf, isRolledBack, onRollback } = options
  const waiting: Queues<Item, Result> = new Map()
  /** Items that wait until they can run alone. They still have their keys. */
  const waitingAlone: Queues<Item, Result> = new Map()
  /** Counts the batches of each group that run: those that have run for `slowAfterMs`, and the others. */
  const running = new Map<number, { slow: number; others: number }>()
  const runningAlone = new Map<number, number>()
  /** Groups whose items wait for others. */
  const gathering = new Set<number>()
  /** Groups whose last batch has ended shortly before, with the timers that remove them. */
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
   * Removes the items that can run now from those that wait. An item never overtakes another with a key in common:
   * otherwise, one with several keys could wait forever for all of them.
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
      // Batches first, because items alone come first after a batch. So both get turns, even if only one of them can run.
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
      if (left.length > 0) waiting.set(groupId, left) // at the end
      batch.forEach(({ timer }) => clearTimeout(timer))
      void runBatch(groupId, batch)
    }
  }

  /** Leaves one for batches, if more than one can run, and the last one for a group of which no item runs alone. */
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
      if (entries.length > 0) waitingAlone.set(aloneGroupId, entries) // at the end
      clearTimeout(entry.timer)
      void runAlone(aloneGroupId, entry)
    }
  }

  /** Adds an item to those that wait, until its deadline. */
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
      startBatches() // others may have waited behind its keys
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
