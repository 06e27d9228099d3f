/** Tells the workers and the tool server of this process, after a commit, that there is something to do. */
export interface Notify {
  callQueued(): void
  deliveryQueued(): void
  importQueued(): void
  toolsChanged(change: ToolChange): void
}

/**
 * What the tool server's caches must drop: the tools of one agent or of all agents, or an attempt that has
 * ended.
 */
export type ToolChange =
  { workspaceId: number; agentId?: number } | { workspaceId: number; endedAttempt: string }

/**
 * Forwards notifications to what is connected later: workers need dependencies, and dependencies need
 * `notify`.
 */
export interface Notifier {
  notify: Notify
  connect(listener: Partial<Notify>): void
}

export function createNotifier(): Notifier {
  const listeners: Partial<Notify>[] = []
  return {
    notify: {
      callQueued: () => listeners.forEach((listener) => listener.callQueued?.()),
      deliveryQueued: () => listeners.forEach((listener) => listener.deliveryQueued?.()),
      importQueued: () => listeners.forEach((listener) => listener.importQueued?.()),
      toolsChanged: (change) => listeners.forEach((listener) => listener.toolsChanged?.(change)),
    },
    connect: (listener) => void listeners.push(listener),
  }
}

/** For a command or a test, where no worker and no tool server runs. */
export const noNotify: Notify = {
  callQueued: () => {},
  deliveryQueued: () => {},
  importQueued: () => {},
  toolsChanged: () => {},
}
