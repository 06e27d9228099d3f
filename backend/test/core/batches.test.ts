import { expect, it } from '@jest/globals'
import { createBatches } from '../../core/batches.ts'
import { waitUntil } from '../support/wait.ts'

/** Batches of names that run until they're told to end. The keys of a name are its parts. */
function createNamedBatches(
  limits: {
    maxSize?: number
    maxRunning?: number
    maxRunningPerGroup?: number
    slowAfterMs?: number
    gatherMs?: number
    maxWaitMs?: number
  } = {},
) {
  const { maxWaitMs, ...otherLimits } = limits
  const started: string[][] = []
  const ends: ((error?: Error) => void)[] = []
  const add = createBatches<string, string>({
    maxSize: 3,
    maxRunning: 2,
    maxRunningPerGroup: 1,
    ...otherLimits,
    ...(maxWaitMs !== undefined && { deadline: { maxWaitMs, createError: () => new Error('too late') } }),
    keysOf: (name) => name.split('+'),
    run: (_groupId, names) => {
      started.push([...names])
      return new Promise((resolve, reject) => {
        ends.push((error) =>
          error === undefined ? resolve(names.map((name) => `done ${name}`)) : reject(error),
        )
      })
    },
  })
  return { add, started, end: (batch: number, error?: Error) => ends[batch]?.(error) }
}

it('runs the first item at once, and those that come meanwhile together', async () => {
  const { add, started, end } = createNamedBatches()
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

it('lets the first item wait for others for a given time', async () => {
  const { add, started, end } = createNamedBatches({ gatherMs: 1 })
  const items = [add(1, 'a'), add(1, 'b'), add(2, 'c')]
  expect(started).toEqual([])
  await waitUntil(() => started.length === 2)
  expect(started).toEqual([['a', 'b'], ['c']])
  end(0)
  end(1)
  expect(await Promise.all(items)).toEqual(['done a', 'done b', 'done c'])
})

it('runs items together that arrive in the same turn of the event loop', async () => {
  const { add, started, end } = createNamedBatches({ gatherMs: 0 })
  const items = [add(1, 'a'), add(1, 'b')]
  await Promise.resolve()
  items.push(add(1, 'c'))
  expect(started).toEqual([])
  await waitUntil(() => started.length === 1)
  expect(started).toEqual([['a', 'b', 'c']])
  end(0)
  expect(await Promise.all(items)).toEqual(['done a', 'done b', 'done c'])
})

it('rejects an item that has waited too long, and runs what waited behind it', async () => {
  const { add, started, end } = createNamedBatches({ maxWaitMs: 50 })
  const first = add(1, 'a')
  await expect(add(1, 'a+b')).rejects.toThrow('too late')
  expect(started).toEqual([['a']])
  const next = add(1, 'b')
  end(0)
  expect(await first).toBe('done a')
  end(1)
  expect(await next).toBe('done b')
})

it('runs items with a key in common one after the other, in their order', async () => {
  const { add, started, end } = createNamedBatches({ maxRunningPerGroup: 2 })
  const items = ['a', 'a+b', 'c', 'b', 'd'].map((name) => add(1, name))
  expect(started).toEqual([['a'], ['c']])
  end(1)
  await items[2]
  // a+b waits for a. Nothing that runs has the key of b, but b came after a+b.
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

it("doesn't let an item wait for one of another group, even if they have a key in common", async () => {
  const { add, started, end } = createNamedBatches()
  const items = [add(1, 'a'), add(2, 'a')]
  expect(started).toEqual([['a'], ['a']])
  end(0)
  end(1)
  await Promise.all(items)
})

it('lets groups take turns, and leaves room for others while one is slow', async () => {
  const { add, started, end } = createNamedBatches({ maxSize: 1 })
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

it('rejects the items of a batch that fails, and continues', async () => {
  const { add, end } = createNamedBatches()
  const failing = add(1, 'a')
  const next = add(1, 'a')
  end(0, new Error('broken'))
  await expect(failing).rejects.toThrow('broken')
  end(1)
  expect(await next).toBe('done a')
})

it('runs another batch of a group whose batch is slow, up to half of the batches', async () => {
  const { add, started, end } = createNamedBatches({ maxSize: 1, maxRunning: 6, slowAfterMs: 20 })
  const items = ['a', 'b', 'c', 'd', 'e'].map((name) => add(1, name))
  await waitUntil(() => started.length === 3)
  // When another group's first batch is slow, this group's third is, too.
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

it('leaves the last batch for a group that runs none, however many are slow', async () => {
  const { add, started, end } = createNamedBatches({ maxSize: 1, maxRunning: 5, slowAfterMs: 20 })
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

it('runs one batch of a group if only two can run', async () => {
  const { add, started, end } = createNamedBatches({ maxSize: 1, maxRunning: 2, slowAfterMs: 20 })
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
