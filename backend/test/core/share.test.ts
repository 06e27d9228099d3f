import { expect, it } from '@jest/globals'
import { leftOut, share } from '../../platform/core/share.ts'
import { waitUntil } from '../support/wait.ts'

const isRolledBack = (error: unknown) => error instanceof Error && error.message === 'rolled back'

/**
 * Shares an operation on names. A batch runs until the test ends it. The keys of a name are the parts between plus signs. Names
 * that run alone are in a separate list, because a batch can also have a single name.
 */
function shareNames(
  limits: {
    maxSize?: number
    maxRunning?: number
    maxRunningPerGroup?: number
    slowAfterMs?: number
    gatherMs?: number
    maxWaitMs?: number
    aloneGroupOf?: (name: string) => number
  } = {},
) {
  const { maxWaitMs, ...otherLimits } = limits
  const started: string[][] = []
  const ends: ((how?: Error | { leavesOut: string[] }) => void)[] = []
  const startedAlone: string[] = []
  const endsAlone = new Map<string, (error?: Error) => void>()
  const rollbacks: number[] = []
  const add = share<string, string>(
    (_groupId, names, isAlone) =>
      new Promise((resolve, reject) => {
        if (isAlone) {
          startedAlone.push(...names)
          endsAlone.set(names.join(), (error) =>
            error === undefined ? resolve(names.map((name) => `done ${name} alone`)) : reject(error),
          )
          return
        }
        started.push([...names])
        ends.push((how) => {
          if (how instanceof Error) reject(how)
          else resolve(names.map((name) => (how?.leavesOut.includes(name) ? leftOut : `done ${name}`)))
        })
      }),
    {
      ...{ maxSize: 3, maxRunning: 2, maxRunningPerGroup: 1 },
      ...otherLimits,
      ...(maxWaitMs !== undefined && { deadline: { maxWaitMs, createError: () => new Error('too late') } }),
      keysOf: (name) => name.split('+'),
      isRolledBack,
      onRollback: (_error, itemCount) => rollbacks.push(itemCount),
    },
  )
  return {
    ...{ add, started, startedAlone, rollbacks },
    end: (batch: number, how?: Error | { leavesOut: string[] }) => ends[batch]?.(how),
    endAlone: (name: string, error?: Error) => endsAlone.get(name)?.(error),
  }
}

it('runs the first item at once, and then batches of the items that arrived while it ran', async () => {
  const { add, started, end } = shareNames()
  const items = ['a', 'b', 'c', 'd', 'e'].map((name) => add(1, name))
  expect(started).toEqual([['a']])
  end(0)
  expect(await items[0]).toBe('done a')
  expect(started).toEqual([['a'], ['b', 'c', 'd']])
  end(1)
  await items[1]
  end(2)
  expect(await Promise.all(items)).toEqual(['done a', 'done b', 'done c', 'done d', 'done e'])
})

it("collects a group's items while a batch of the group runs and for a while afterward, and then runs them together", async () => {
  const gatherMs = 200
  const { add, started, end } = shareNames({ gatherMs })
  const startedAt = performance.now()
  const items = [add(1, 'a'), add(1, 'b'), add(2, 'c')]
  await waitUntil(() => started.length === 2)
  expect(started).toEqual([['a', 'b'], ['c']])
  end(0)
  end(1)
  items.push(
    add(1, 'd'),
    ...(await Promise.all(items)).map((_, index) => add(1, ['e', 'f', 'g'][index] ?? '')),
  )
  await waitUntil(() => started.length === 3)
  expect(performance.now() - startedAt).toBeGreaterThan(gatherMs / 2) // timers can be early by a millisecond
  expect(started[2]).toEqual(['d', 'e', 'f'])
  end(2)
  await waitUntil(() => started.length === 4) // the remaining item doesn't wait for others again
  end(3)
  expect(await Promise.all(items)).toEqual([
    'done a',
    'done b',
    'done c',
    'done d',
    'done e',
    'done f',
    'done g',
  ])
})

it('if items arrive in the same turn of the event loop, runs them in one batch', async () => {
  const { add, started, end } = shareNames({ gatherMs: 0 })
  const items = [add(1, 'a'), add(1, 'b')]
  await Promise.resolve()
  items.push(add(1, 'c'))
  expect(started).toEqual([])
  await waitUntil(() => started.length === 1)
  expect(started).toEqual([['a', 'b', 'c']])
  end(0)
  expect(await Promise.all(items)).toEqual(['done a', 'done b', 'done c'])
})

it('rejects an item that has waited too long, and runs the items behind it', async () => {
  const { add, started, end } = shareNames({ maxWaitMs: 50 })
  const first = add(1, 'a')
  await expect(add(1, 'a+b')).rejects.toThrow('too late')
  expect(started).toEqual([['a']])
  const next = add(1, 'b')
  end(0)
  expect(await first).toBe('done a')
  end(1)
  expect(await next).toBe('done b')
})

it('runs items that share a key one after another, in order', async () => {
  const { add, started, end } = shareNames({ maxRunningPerGroup: 2 })
  const items = ['a', 'a+b', 'c', 'b', 'd'].map((name) => add(1, name))
  expect(started).toEqual([['a'], ['c']])
  end(1)
  await items[2]
  // a+b waits for a. No running batch has the key b, but the item b still waits, because it came after a+b.
  expect(started.at(-1)).toEqual(['d'])
  end(0)
  await items[0]
  expect(started.at(-1)).toEqual(['a+b'])
  end(3)
  expect(await items[1]).toBe('done a+b')
  expect(started.at(-1)).toEqual(['b'])
  end(4)
  expect(await items[3]).toBe('done b')
})

it("doesn't let an item wait for another group's item, even if they share a key", async () => {
  const { add, started, end } = shareNames()
  const items = [add(1, 'a'), add(2, 'a')]
  expect(started).toEqual([['a'], ['a']])
  end(0)
  end(1)
  await Promise.all(items)
})

it('lets groups take turns, and keeps capacity for other groups while a group is slow', async () => {
  const { add, started, end } = shareNames({ maxSize: 1 })
  const items = [add(1, 'a1'), add(1, 'a2'), add(1, 'a3'), add(2, 'b1'), add(3, 'c1')]
  expect(started).toEqual([['a1'], ['b1']])
  end(1)
  await items[3]
  expect(started.at(-1)).toEqual(['c1'])
  end(0)
  await items[0]
  end(2)
  await items[4]
  expect(started.slice(3)).toEqual([['a2']])
})

it('if a batch fails, rejects its items, and runs the next batch', async () => {
  const { add, end } = shareNames()
  const failing = add(1, 'a')
  const next = add(1, 'a')
  end(0, new Error('broken'))
  await expect(failing).rejects.toThrow('broken')
  end(1)
  expect(await next).toBe('done a')
})

it("while a group's batch is slow, runs more batches of the group, up to half of the batches that can run at a time", async () => {
  const { add, started, end } = shareNames({ maxSize: 1, maxRunning: 6, slowAfterMs: 20 })
  const items = ['a', 'b', 'c', 'd', 'e'].map((name) => add(1, name))
  await waitUntil(() => started.length === 3)
  // g starts because f is slow. By then, c is slow, too, but group 1 already has half of the batches, so d doesn't start.
  items.push(...['f', 'g'].map((name) => add(2, name)))
  await waitUntil(() => started.length === 5)
  expect(started.flat()).toEqual(['a', 'b', 'c', 'f', 'g'])
  end(0)
  await waitUntil(() => started.length === 6)
  expect(started.at(-1)).toEqual(['d'])
  end(1)
  await waitUntil(() => started.length === 7)
  for (const batch of started.keys()) end(batch)
  expect(await Promise.all(items)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `done ${name}`))
})

it('keeps one batch free for a group that has none running, however many batches are slow', async () => {
  const { add, started, end } = shareNames({ maxSize: 1, maxRunning: 5, slowAfterMs: 20 })
  const items = [1, 2].flatMap((group) => ['a', 'b', 'c'].map((name) => add(group, `${name}${group}`)))
  await waitUntil(() => started.length === 4)
  items.push(add(3, 'a3'))
  expect(started.flat()).toEqual(['a1', 'a2', 'b1', 'b2', 'a3'])
  end(4)
  expect(await items.at(-1)).toBe('done a3')
  for (const batch of started.keys()) end(batch)
  await waitUntil(() => started.length === 7)
  for (const batch of started.keys()) end(batch)
  await Promise.all(items)
})

it('if at most two batches can run at a time, runs only one batch per group at a time', async () => {
  const { add, started, end } = shareNames({ maxSize: 1, maxRunning: 2, slowAfterMs: 20 })
  const items = [add(1, 'a'), add(1, 'b')]
  items.push(add(2, 'c'), add(2, 'd'))
  expect(started.flat()).toEqual(['a', 'c'])
  end(1)
  await items[2]
  expect(started.flat()).toEqual(['a', 'c', 'd'])
  end(0)
  end(2)
  await waitUntil(() => started.length === 4)
  end(3)
  await Promise.all(items)
})

it('if a batch leaves an item out, runs the item alone, without delaying other items', async () => {
  const { add, started, startedAlone, end, endAlone } = shareNames({ gatherMs: 0 })
  const items = ['a', 'b', 'c'].map((name) => add(1, name))
  await waitUntil(() => started.length === 1)
  end(0, { leavesOut: ['b'] })
  expect(await items[0]).toBe('done a')
  expect(await items[2]).toBe('done c')
  expect(startedAlone).toEqual(['b'])
  const next = add(1, 'd')
  await waitUntil(() => started.length === 2)
  end(1)
  expect(await next).toBe('done d')
  endAlone('b')
  expect(await items[1]).toBe('done b alone')
})

it('runs each item of a rolled-back batch alone, so that only the bad one fails', async () => {
  const { add, started, startedAlone, rollbacks, end, endAlone } = shareNames({ gatherMs: 0, maxRunning: 4 })
  const items = ['a', 'bad', 'c'].map((name) => add(1, name))
  await waitUntil(() => started.length === 1)
  end(0, new Error('rolled back'))
  await waitUntil(() => startedAlone.length === 2)
  const results = Promise.allSettled(items)
  endAlone('bad', new Error('rolled back'))
  await waitUntil(() => startedAlone.length === 3)
  endAlone('a')
  endAlone('c')
  expect(await results).toEqual([
    { status: 'fulfilled', value: 'done a alone' },
    { status: 'rejected', reason: new Error('rolled back') },
    { status: 'fulfilled', value: 'done c alone' },
  ])
  expect(rollbacks).toEqual([3])
})

it('runs at most two items of a group alone at a time, and keeps capacity for batches and other groups', async () => {
  const { add, started, startedAlone, end, endAlone } = shareNames({ gatherMs: 0, maxRunning: 5 })
  const names = ['a1', 'a2', 'a3']
  const items = names.map((name) => add(1, name))
  await waitUntil(() => started.length === 1)
  end(0, { leavesOut: names })
  await waitUntil(() => startedAlone.length === 2)
  const others = ['b1', 'b2'].map((name) => add(2, name))
  await waitUntil(() => started.length === 2)
  end(1, { leavesOut: ['b1', 'b2'] })
  await waitUntil(() => startedAlone.length === 3)
  const last = add(1, 'a4')
  await waitUntil(() => started.length === 3)
  end(2)
  expect(await last).toBe('done a4')
  expect(startedAlone).toEqual(['a1', 'a2', 'b1'])
  endAlone('a1')
  await waitUntil(() => startedAlone.length === 4)
  endAlone('a2')
  await waitUntil(() => startedAlone.length === 5)
  ;['a3', 'b1', 'b2'].forEach((name) => endAlone(name))
  expect(await Promise.all([...items, ...others])).toEqual(
    ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => `done ${name} alone`),
  )
})

it('if `aloneGroupOf` is set, the limit on items that run alone at a time applies to each group that it returns', async () => {
  const aloneGroupOf = (name: string) => (name.startsWith('a') ? 1 : 2)
  const { add, started, startedAlone, end, endAlone } = shareNames({
    gatherMs: 0,
    maxRunning: 6,
    maxSize: 4,
    aloneGroupOf,
  })
  const names = ['a1', 'a2', 'a3', 'b1']
  const items = names.map((name) => add(0, name))
  await waitUntil(() => started.length === 1)
  end(0, { leavesOut: names })
  await waitUntil(() => startedAlone.length === 3)
  expect(startedAlone.toSorted()).toEqual(['a1', 'a2', 'b1'])
  endAlone('a1')
  await waitUntil(() => startedAlone.length === 4)
  names.forEach((name) => endAlone(name))
  expect(await Promise.all(items)).toEqual(names.map((name) => `done ${name} alone`))
})

it('if only one batch or single item can run at a time, lets batches and single items take turns', async () => {
  const { add, started, startedAlone, end, endAlone } = shareNames({ gatherMs: 0, maxRunning: 1 })
  const items = ['a', 'b'].map((name) => add(1, name))
  await waitUntil(() => started.length === 1)
  items.push(add(1, 'c'), add(1, 'd'))
  end(0, { leavesOut: ['a', 'b'] })
  await waitUntil(() => startedAlone.length === 1)
  endAlone('a')
  await waitUntil(() => started.length === 2)
  expect(startedAlone).toEqual(['a'])
  end(1)
  await waitUntil(() => startedAlone.length === 2)
  endAlone('b')
  expect(await Promise.all(items)).toEqual(['done a alone', 'done b alone', 'done c', 'done d'])
})

it("while an item runs alone, doesn't run another item that shares a key with it", async () => {
  const { add, started, startedAlone, end, endAlone } = shareNames({ maxRunning: 4, maxRunningPerGroup: 2 })
  const first = add(1, 'a+b')
  end(0, { leavesOut: ['a+b'] })
  await waitUntil(() => startedAlone.length === 1)
  const [second, other] = [add(1, 'b'), add(1, 'c')]
  end(1)
  expect(await other).toBe('done c')
  expect(started).toEqual([['a+b'], ['c']])
  endAlone('a+b')
  expect(await first).toBe('done a+b alone')
  await waitUntil(() => started.length === 3)
  end(2)
  expect(await second).toBe('done b')
})

it('rejects an item that has waited too long to run alone, and runs the items behind it', async () => {
  const { add, started, startedAlone, end, endAlone } = shareNames({ gatherMs: 0, maxWaitMs: 50 })
  const items = ['a', 'b'].map((name) => add(1, name))
  const [first, second] = items
  await waitUntil(() => started.length === 1)
  end(0, { leavesOut: ['a', 'b'] })
  await waitUntil(() => startedAlone.length === 1)
  await expect(second).rejects.toThrow('too late')
  const next = add(1, 'b')
  await waitUntil(() => started.length === 2)
  end(1)
  expect(await next).toBe('done b')
  endAlone('a')
  expect(await first).toBe('done a alone')
  expect(startedAlone).toEqual(['a'])
})

it('if an item runs alone and is still left out, rejects the item', async () => {
  const add = share<string, string>((_groupId, names) => Promise.resolve(names.map(() => leftOut)), {
    ...{ maxSize: 3, maxRunning: 2, maxRunningPerGroup: 1 },
  })
  await expect(add(1, 'a')).rejects.toThrow('never left out')
})
