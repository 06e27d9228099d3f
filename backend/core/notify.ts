/** Notifies the workers and the tool server of this process, after a commit, that there's work. */
export interface Notify {
  callQueued(): void
  deliveryQueued(): void
  importQueued(): void
  toolsChanged(change: ToolChange): void
}

/**
 * What the tool server must drop from its caches: the tools of one agent or of all agents, or an attempt that has
 * ended.
 */
export type ToolChange =
  { workspaceId: number; agentId?: number } | { workspaceId: number; endedAttempt: string }

/** Forwards notifications to listeners that connect later: workers need dependencies, and those need `notify`. */
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

/** For commands and tests, which run without workers and tool server. */
export const noNotify: Notify = {
  callQueued: () => {},
  deliveryQueued: () => {},
  importQueued: () => {},
  toolsChanged: () => {},
}
