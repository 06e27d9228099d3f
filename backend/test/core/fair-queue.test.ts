import { expect, it } from '@jest/globals'
import { createFairQueue } from '../../platform/core/fair-queue.ts'

const limits = { concurrency: 2, runningPerWorkspace: 1, waitingPerWorkspace: 2, maxWaiting: 6 }

/** Creates tasks that run until the test ends them, and records their names in the order in which they start. */
function createTasks() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  return {
    started,
    create: (name: string) => () => {
      started.push(name)
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
    },
    end: (name: string) => ends.get(name)?.(),
  }
}

it('runs one task per workspace at a time, and lets workspaces take turns', async () => {
  const queue = createFairQueue(limits)
  const { started, create, end } = createTasks()
  const first = queue(1, create('1a'))
  const others = [
    queue(1, create('1b')),
    queue(1, create('1c')),
    queue(2, create('2a')),
    queue(3, create('3a')),
  ]
  expect(started).toEqual(['1a', '2a'])
  end('1a')
  expect(await first).toEqual({ result: '1a' })
  expect(started).toEqual(['1a', '2a', '1b'])
  end('2a')
  await others[2]
  expect(started.at(-1)).toBe('3a')
  end('1b')
  await others[0]
  expect(started.at(-1)).toBe('1c')
  end('1c')
  end('3a')
  expect(await Promise.all(others)).toEqual(['1b', '1c', '2a', '3a'].map((result) => ({ result })))
})

it('if a workspace has too many waiting tasks, rejects its next task, but still accepts tasks of other workspaces', async () => {
  const queue = createFairQueue(limits)
  const { create, end, started } = createTasks()
  const taken = ['1a', '1b', '1c'].map((name) => queue(1, create(name)))
  expect(await queue(1, create('1d'))).toBeUndefined()
  const other = queue(2, create('2a'))
  expect(started).toEqual(['1a', '2a'])
  end('2a')
  expect(await other).toEqual({ result: '2a' })
  for (const [at, name] of ['1a', '1b', '1c'].entries()) {
    end(name)
    expect(await taken[at]).toEqual({ result: name })
  }
})

it('runs the next task after one fails', async () => {
  const queue = createFairQueue(limits)
  const failing = queue(1, () => Promise.reject(new Error('broken')))
  const next = queue(1, () => Promise.resolve('next'))
  await expect(failing).rejects.toThrow('broken')
  expect(await next).toEqual({ result: 'next' })
})
