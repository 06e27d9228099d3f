/** Tells the workers and the tool server of this process, after a commit, that there is something to do. */
export interface Notify {
  callQueued(): void
  deliveryQueued(): void
  importQueued(): void
  toolsChanged(change: ToolChange): void
}

/** What the tool server's caches must drop: the tools of one agent or of all agents, or an attempt that has ended. */
export type ToolChange =
  { workspaceId: number; agentId?: number } | { workspaceId: number; endedAttempt: string }

/** For a command or a test, where no worker and no tool server runs. */
export const noNotify: Notify = {
  callQueued: () => {},
  deliveryQueued: () => {},
  importQueued: () => {},
  toolsChanged: () => {},
}
