/** Runs a workspace's task when its turn comes. Resolves to undefined if too many tasks are already waiting. */
type FairQueue = <Result>(
  workspaceId: number,
  task: () => Promise<Result>,
) => Promise<{ result: Result } | undefined>

interface FairQueueLimits {
  /** Maximum number of tasks that run at the same time. */
  concurrency: number
  /** Maximum number of tasks of one workspace that run at the same time. */
  runningPerWorkspace: number
  /** Maximum number of tasks of one workspace that wait. */
  waitingPerWorkspace: number
  /** Maximum number of tasks of all workspaces that wait. */
  maxWaiting: number
}

/**
 * Creates a queue for expensive tasks. Workspaces take turns, so that the other workspaces don't have to wait until one
 * workspace's many tasks are done.
 */
export function createFairQueue(limits: FairQueueLimits): FairQueue {
  const running = new Map<number, number>()
  /** Waiting tasks by workspace. The workspace whose turn is next comes first. */
  const waiting = new Map<number, (() => void)[]>()
  let runningCount = 0
  let waitingCount = 0

  const hasCapacity = (workspaceId: number) =>
    runningCount < limits.concurrency && (running.get(workspaceId) ?? 0) < limits.runningPerWorkspace

  const start = (workspaceId: number) => {
    runningCount += 1
    running.set(workspaceId, (running.get(workspaceId) ?? 0) + 1)
  }

  const startNext = () => {
    for (const [workspaceId, tasks] of waiting) {
      if (!hasCapacity(workspaceId)) continue
      waiting.delete(workspaceId)
      const next = tasks.shift()
      if (tasks.length > 0) waiting.set(workspaceId, tasks) // moves the workspace to the end
      if (next === undefined) continue
      waitingCount -= 1
      start(workspaceId)
      next()
    }
  }

  const finish = (workspaceId: number) => {
    runningCount -= 1
    const remaining = (running.get(workspaceId) ?? 1) - 1
    if (remaining > 0) running.set(workspaceId, remaining)
    else running.delete(workspaceId)
    startNext()
  }

  return async (workspaceId, task) => {
    const earlier = waiting.get(workspaceId) ?? []
    if (earlier.length === 0 && hasCapacity(workspaceId)) {
      start(workspaceId)
    } else {
      if (earlier.length >= limits.waitingPerWorkspace || waitingCount >= limits.maxWaiting) return undefined
      waitingCount += 1
      await new Promise<void>((resolve) => {
        earlier.push(resolve)
        waiting.set(workspaceId, earlier)
      })
    }
    try {
      return { result: await task() }
    } finally {
      finish(workspaceId)
    }
  }
}
