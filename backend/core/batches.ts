/** Handles one item together with others. Resolves or rejects with the item's own result. */
type AddToBatch<Item, Result> = (groupId: number, item: Item) => Promise<Result>

interface BatchOptions<Item, Result> {
  /** Items of one batch. */
  maxSize: number
  /** Batches that run at the same time. */
  maxRunning: number
  /** Batches of one group that run at the same time, so that a slow group leaves room for the others. */
  maxRunningPerGroup: number
  /**
   * A batch that has run this long, perhaps because it waits for a lock, lets another one of its group run. A group has at
   * most half of `maxRunning` then, and the last one is left for a group that has none. By default, no batch does.
   */
  slowAfterMs?: number
  /**
   * How many milliseconds an item waits for others, if there are none yet. With 0, it waits for those of the same turn
   * of the event loop. By default, it doesn't wait.
   */
  gatherMs?: number
  /** How long an item waits to run. By default, as long as it takes. */
  deadline?: { maxWaitMs: number; createError: () => Error }
  /** Two items of a group with a key in common never run at the same time. */
  keysOf: (item: Item) => readonly string[]
  /** Handles the items of one group. Returns a result for each, in the same order. */
  run: (groupId: number, items: readonly Item[]) => Promise<readonly Result[]>
}

interface WaitingItem<Item, Result> {
  item: Item
  keys: readonly string[]
  resolve: (result: Result) => void
  reject: (error: unknown) => void
  timer: NodeJS.Timeout | undefined
}

/**
 * Handles items that arrive at about the same time together. Without `gatherMs`, an item waits only while the maximum
 * number of batches runs, and the next batch takes all that wait by then. Groups take turns.
 */
export function createBatches<Item, Result>(options: BatchOptions<Item, Result>): AddToBatch<Item, Result> {
  const { maxSize, maxRunning, maxRunningPerGroup, slowAfterMs, gatherMs, deadline, keysOf, run } = options
  /** By group. The one whose turn is next comes first. */
  const waiting = new Map<number, WaitingItem<Item, Result>[]>()
  /** By group: batches that have run for `slowAfterMs`, and the others. */
  const running = new Map<number, { slow: number; others: number }>()
  /** Groups whose first item waits for others. */
  const gathering = new Set<number>()
  const busyKeys = new Set<string>()
  let runningCount = 0

  /**
   * Removes the items that can run now from those that wait. An item never overtakes another with a key in common:
   * otherwise, one with several keys could wait forever for all of them.
   */
  const takeBatch = (items: WaitingItem<Item, Result>[]) => {
    const batch: WaitingItem<Item, Result>[] = []
    const left: WaitingItem<Item, Result>[] = []
    const keysOfLeft = new Set<string>()
    for (const entry of items) {
      const canRun =
        batch.length < maxSize && !entry.keys.some((key) => busyKeys.has(key) || keysOfLeft.has(key))
      const keys = canRun ? busyKeys : keysOfLeft
      entry.keys.forEach((key) => keys.add(key))
      ;(canRun ? batch : left).push(entry)
    }
    return { batch, left }
  }

  const runBatch = async (groupId: number, batch: readonly WaitingItem<Item, Result>[]) => {
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
      const results = await run(
        groupId,
        batch.map(({ item }) => item),
      )
      if (results.length !== batch.length) throw new Error('invariant: a batch has a result for each item')
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result))
    } catch (error) {
      batch.forEach(({ reject }) => reject(error))
    } finally {
      batch.forEach(({ keys }) => keys.forEach((key) => busyKeys.delete(key)))
      clearTimeout(timer)
      runningCount -= 1
      group[kind] -= 1
      if (group.slow + group.others === 0) running.delete(groupId)
      startBatches()
    }
  }

  const mayStart = (groupId: number): boolean => {
    const group = running.get(groupId)
    if (group === undefined) return true
    const { slow, others } = group
    if (others >= maxRunningPerGroup) return false
    return slow === 0 || (slow + others < Math.floor(maxRunning / 2) && runningCount < maxRunning - 1)
  }

  const startBatches = () => {
    for (const [groupId, items] of waiting) {
      if (runningCount >= maxRunning) return
      if (gathering.has(groupId) || !mayStart(groupId)) continue
      const { batch, left } = takeBatch(items)
      if (batch.length === 0) continue
      waiting.delete(groupId)
      if (left.length > 0) waiting.set(groupId, left) // at the end
      batch.forEach(({ timer }) => clearTimeout(timer))
      void runBatch(groupId, batch)
    }
  }

  const gather = (groupId: number) => {
    if (gatherMs === undefined) return
    gathering.add(groupId)
    const endGathering = () => {
      gathering.delete(groupId)
      startBatches()
    }
    // A timer of 0 ms would take 1 ms.
    if (gatherMs === 0) setImmediate(endGathering)
    else setTimeout(endGathering, gatherMs)
  }

  const limitWait = (groupId: number, entry: WaitingItem<Item, Result>) => {
    if (deadline === undefined) return
    entry.timer = setTimeout(() => {
      const left = (waiting.get(groupId) ?? []).filter((other) => other !== entry)
      if (left.length > 0) waiting.set(groupId, left)
      else waiting.delete(groupId)
      entry.reject(deadline.createError())
      startBatches() // others may have waited behind its keys
    }, deadline.maxWaitMs)
  }

  return (groupId, item) =>
    new Promise((resolve, reject) => {
      const items = waiting.get(groupId) ?? []
      if (items.length === 0) gather(groupId)
      const keys = keysOf(item).map((key) => `${groupId} ${key}`)
      const entry = { item, keys, resolve, reject, timer: undefined }
      limitWait(groupId, entry)
      items.push(entry)
      waiting.set(groupId, items)
      startBatches()
    })
}
