/** Notifies the workers, the tool server, and the metrics of this process, after a commit. */
export interface Notify {
  callQueued(): void
  deliveryQueued(): void
  importQueued(): void
  /** An agent runtime has reported something about an attempt. */
  reportReceived(attemptId: string): void
  toolsChanged(change: ToolChange): void
  toolAccessEnded(attempt: ToolAccess): void
  callCompleted(result: CallResult): void
  attemptEnded(result: CallResult): void
}

/**
 * How a call or a call attempt ended, in the contract's values. If the agent runtime didn't place an attempt, the attempt
 * doesn't count, and its outcome here is `not_placed`.
 */
interface CallResult {
  outcome: string | null
  endedReason: string | null
}

/** The tools that the tool server must drop from its caches: those of one agent, or without `agentId`, of all agents. */
export interface ToolChange {
  workspaceId: number
  agentId?: number
}

/** The attempt whose token opens tool sessions until the attempt ends. */
export interface ToolAccess {
  workspaceId: number
  attemptId: string
}

/** Forwards notifications to listeners that connect later. Workers are created later, because their deps include `notify`. */
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
      reportReceived: (attemptId) => listeners.forEach((listener) => listener.reportReceived?.(attemptId)),
      toolsChanged: (change) => listeners.forEach((listener) => listener.toolsChanged?.(change)),
      toolAccessEnded: (attempt) => listeners.forEach((listener) => listener.toolAccessEnded?.(attempt)),
      callCompleted: (result) => listeners.forEach((listener) => listener.callCompleted?.(result)),
      attemptEnded: (result) => listeners.forEach((listener) => listener.attemptEnded?.(result)),
    },
    connect: (listener) => void listeners.push(listener),
  }
}

/** Ignores notifications. Commands and tests use it, because they run without workers and a tool server. */
export const noNotify: Notify = {
  callQueued: () => {},
  deliveryQueued: () => {},
  importQueued: () => {},
  reportReceived: () => {},
  toolsChanged: () => {},
  toolAccessEnded: () => {},
  callCompleted: () => {},
  attemptEnded: () => {},
}
