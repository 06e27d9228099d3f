import type { Clock } from '../../platform/core/clock.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { type CallControlName, createCallControls, isCallControl } from './call-controls.ts'
import { isRunning } from './history.ts'
import { stillRunning } from './model/run-tools.ts'
import type { ConversationTool } from './model/tools.ts'
import type { LateResult, ToolPart } from './transcript.ts'

/** A tool of the tool server, as a session lists it. */
export interface ServerTool {
  name: string
  description: string
  /** A JSON Schema. */
  inputSchema: Record<string, unknown>
  /** True if using the tool changes nothing. */
  isReadOnly: boolean
}

export interface ToolOutcome {
  text: string
  isError: boolean
}

/** A session on the tool server. */
export interface OpenTools {
  tools: readonly ServerTool[]
  call(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutcome>
  close(): Promise<void>
}

/** The tools of one turn. */
export interface TurnTools {
  /** The tools to offer to the model. */
  offered: ConversationTool[]
  /** Returns the turn's part for a tool that the model uses. */
  toPart(toolCallId: string, name: string, args: unknown): ToolPart
  /** Returns an ID that's unique in the conversation. Servers may use the same `toolCallId` in each turn. */
  toPartId(toolCallId: string): string
  /** Returns the outcome of a tool that has finished. Undefined for other tools and for call controls. */
  findOutcome(toolCallId: string): ToolOutcome | undefined
  /** Notes that the turn has a tool's result, which then isn't saved as a late one. */
  setTaken(toolCallId: string): void
  /** Returns true if using a tool changes something, or would change something if it weren't a dry run. */
  hasEffects(name: string): boolean
  /** Returns a call control that the model used and that couldn't be carried out. */
  findFailedControl(): CallControlName | undefined
  /**
   * Ends the turn. If the contact has interrupted it, aborts the read-only tools that are still running, because their results
   * are no longer needed. Other tools finish, and their results are saved, so that the agent learns what they changed.
   */
  end(isInterrupted: boolean): void
}

interface ToolsDeps {
  clock: Pick<Clock, 'wait'>
  /** Runs a call control, and returns the result that the model reads. */
  runControl(name: CallControlName): Promise<string>
  /**
   * Saves what the turn has done so far, before it starts a tool that has effects. Returns false if the tool must not start,
   * because another process has taken the next turn, or nothing can be saved. Never rejects.
   */
  saveProgress(): Promise<boolean>
  /** Saves a result that arrives after the turn. Never rejects. */
  saveLateResult(result: LateResult): Promise<void>
  /** Reports that the tool server can't be reached, or that it rejected a tool call. */
  onToolFailure(error: unknown): void
}

/** How long the model waits for a tool. The limit is short, because the contact is waiting, too. */
const waitMs = 8 * secondMs

const alreadyRunning = 'This tool is already running with the same arguments. Its result follows later.'
const interrupted = 'This tool was stopped, because the contact spoke.'

interface Started {
  part: Pick<ToolPart, 'id' | 'name' | 'args'>
  isReadOnly: boolean
  abort: AbortController
  outcome: Promise<ToolOutcome>
  /** Set once the tool has finished. */
  finished: ToolOutcome | undefined
  /** True if the model has received the tool's result. */
  isTaken: boolean
}

/**
 * Returns the tools of a turn.
 *
 * @param options.session undefined if the tool server can't be reached: then there are only the call controls
 * @param options.running the tools of earlier turns that are still running
 * @param options.isDryRun true if tools that have effects change nothing
 */
export function createTurnTools(
  deps: ToolsDeps,
  options: {
    session: OpenTools | undefined
    running: readonly ToolPart[]
    isDryRun: boolean
    turnNumber: number
  },
): TurnTools {
  const { session, running, isDryRun, turnNumber } = options
  const toPartId = (toolCallId: string) => `${turnNumber}:${toolCallId}`
  const started = new Map<string, Started>()
  const serverTools = new Map((session?.tools ?? []).flatMap((tool) => toOffered(tool)))

  const start = (tool: ServerTool, part: Started['part'], args: Record<string, unknown>): Started => {
    const abort = new AbortController()
    const call = async () => {
      if (session === undefined) throw new Error('invariant: a tool of the tool server has a session')
      if (!tool.isReadOnly && !(await deps.saveProgress())) return { text: notStarted, isError: true }
      return session.call(tool.name, args, abort.signal)
    }
    const outcome = call()
      .catch((error: unknown) => {
        if (!abort.signal.aborted) deps.onToolFailure(error)
        return { text: toolFailed, isError: true }
      })
      .then((result) => (abort.signal.aborted ? { text: interrupted, isError: false } : result))
    const use: Started = {
      ...{ part, isReadOnly: tool.isReadOnly, abort, outcome },
      ...{ finished: undefined, isTaken: false },
    }
    void outcome.then((finished) => (use.finished = finished))
    started.set(part.id, use)
    return use
  }

  const run = async (id: string, name: string, tool: ServerTool, args: Record<string, unknown>) => {
    const withoutResult = [...started.values()].filter(({ isTaken }) => !isTaken)
    const same = withoutResult.find((one) => isRunning([one.part], name, args))
    // It has finished since the model was told that it's still running.
    if (same?.finished !== undefined) return same.finished.text
    if (same !== undefined || isRunning(running, name, args)) return alreadyRunning
    const use = start(tool, { id, name, args }, args)
    const wait = new AbortController()
    const outcome = await Promise.race([
      use.outcome,
      deps.clock.wait(waitMs, wait.signal).then(() => undefined),
    ])
    wait.abort()
    return outcome?.text ?? stillRunning
  }

  const fromServer = [...serverTools].map(([name, tool]): ConversationTool => ({
    ...{ name, description: tool.description, inputSchema: tool.inputSchema },
    execute: (args, { toolCallId }) => run(toPartId(toolCallId), name, tool, args),
  }))
  const failedControls = new Set<CallControlName>()
  const runControl = async (name: CallControlName) => {
    failedControls.add(name)
    if (!(await deps.saveProgress())) throw new Error(notStarted)
    const result = await deps.runControl(name)
    failedControls.delete(name)
    return result
  }
  const hasEffects = (name: string) => isCallControl(name) || serverTools.get(name)?.isReadOnly === false
  return {
    offered: [...fromServer, ...createCallControls(runControl)],

    hasEffects,

    findFailedControl: () => (failedControls.has('opt_out') ? 'opt_out' : [...failedControls][0]),

    toPartId,

    toPart: (toolCallId, name, args) => ({
      ...{ type: 'tool', id: toPartId(toolCallId), name, args, result: null, isError: false },
      isDryRun: isDryRun && hasEffects(name),
    }),

    findOutcome: (toolCallId) => started.get(toPartId(toolCallId))?.finished,

    setTaken: (toolCallId) => {
      const use = started.get(toPartId(toolCallId))
      if (use?.finished !== undefined) use.isTaken = true
    },

    end: (isInterrupted) => {
      const left = [...started.values()].filter(({ isTaken }) => !isTaken)
      for (const { isReadOnly, abort } of left) if (isInterrupted && isReadOnly) abort.abort()
      const saved = left.map(async ({ part: { id, name }, outcome }) => {
        const { text: result, isError } = await outcome
        await deps.saveLateResult({ type: 'late_result', id, name, result, isError })
      })
      void Promise.all(saved).then(() => session?.close())
    },
  }
}

const notStarted = "This tool wasn't started, because the conversation continued without this answer."

const toolFailed = "The tool couldn't be used, and it's unknown whether it has done anything."

/**
 * Returns a tool with the name that the model knows it by. Renames a tool that was created with the name of a call control
 * before that name was reserved. Omits `do_not_call`: the control `opt_out` replaces it, because it also ends the call.
 */
function toOffered(tool: ServerTool): [string, ServerTool][] {
  if (tool.name === 'do_not_call') return []
  return [[isCallControl(tool.name) ? `custom_${tool.name}` : tool.name, tool]]
}
