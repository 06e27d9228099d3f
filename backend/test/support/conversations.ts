import {
  Conversation,
  type ConversationDeps,
  type ConversationState,
} from '../../calling/conversation/conversation.ts'
import type { OpenTools, ServerTool, ToolOutcome } from '../../calling/conversation/conversation-tools.ts'
import type { ModelClient } from '../../calling/conversation/model/model-client.ts'
import { getPhrases } from '../../calling/conversation/phrases/index.ts'
import type {
  FinishedTurn,
  LateResult,
  TurnEvent,
  TurnInput,
  TurnPart,
} from '../../calling/conversation/transcript.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'

const agentValues: AgentValues = {
  ...{ name: 'Ava', language: 'en-US', greeting: 'Hello {{first_name}}.', variables: [] },
  ...{ instructions: 'Ask: Do you own a house? Ask: Is it yellow?', speaks_first: 'agent', goal: '' },
  ...{ results: [], model: null, max_minutes: 10, closing_line: '', ai_disclosure: true, phrases: {} },
}

/** A tool of a tool server that the test simulates. */
export interface PlayedTool extends Partial<ServerTool> {
  name: string
  /** Returns the tool's result. Without this function, the tool returns `Done.` at once. */
  run?: (args: Record<string, unknown>, signal: AbortSignal) => Promise<ToolOutcome>
}

export interface Dialog {
  state: ConversationState
  late: LateResult[]
  /** The tools that were called, with their arguments. */
  calls: [string, Record<string, unknown>][]
  controls: string[]
  /** Runs before each save of the turn's progress. */
  beforeSave: () => Promise<void>
  /** The tool server opens sessions once this resolves. */
  opening: Promise<void>
  /** True if call controls fail. */
  isControlFailing: boolean
  /** What the turn in progress has saved. */
  progress: readonly TurnPart[]
  /** True once another process has taken the next turn, so that a turn in progress can't be saved anymore. */
  isOutdated: boolean
  failures: unknown[]
  closedSessions: number
  /** Takes the next turn as another process does: it knows only the state that earlier turns have saved. */
  take(
    input: TurnInput | null | string,
    options?: TakeOptions,
  ): Promise<{ events: TurnEvent[]; turn: FinishedTurn }>
  /** Acts as if the process of the turn in progress was lost. The next turn then knows only what this turn has saved. */
  loseTurn(text: string): void
}

interface TakeOptions {
  signal?: AbortSignal
  onEvent?: (event: TurnEvent) => void
}

/** Creates a conversation with a model and a tool server that the test simulates. */
export function createDialog(
  { model, clock }: { model: ModelClient; clock: Clock },
  agent: Partial<AgentValues> = {},
  tools: readonly PlayedTool[] | 'unreachable' = [],
): Dialog {
  const values = { ...agentValues, ...agent }
  const contact = { first_name: 'Maya', last_name: null, variables: {} }
  const dialog: Dialog = {
    state: {
      ...{ agent: values, values: { agentName: values.name, campaignName: null, contact } },
      ...{ phrases: getPhrases(values.language, values.phrases).phrases, timeZone: 'America/New_York' },
      ...{ startedAt: clock.now(), turns: [], lateResults: [], isDryRun: true },
    },
    ...{
      late: [],
      calls: [],
      controls: [],
      isControlFailing: false,
      opening: Promise.resolve(),
      beforeSave: async () => {},
      progress: [],
      isOutdated: false,
      failures: [],
      closedSessions: 0,
    },
    loseTurn: (text) => {
      const lost = { input: { type: 'speech', text } as const, parts: dialog.progress, messages: null }
      dialog.state.turns = [...dialog.state.turns, { ...lost, startedAt: clock.now() }]
    },
    take: async (given, { signal = new AbortController().signal, onEvent = () => {} } = {}) => {
      const input = typeof given === 'string' ? ({ type: 'speech', text: given } as const) : given
      const conversation = new Conversation(deps, { ...dialog.state, lateResults: dialog.late.splice(0) })
      const events: TurnEvent[] = []
      const stream = conversation.takeTurn(input, signal)
      for (;;) {
        const step = await stream.next()
        if (step.done === true) {
          const turn = JSON.parse(JSON.stringify(step.value)) as FinishedTurn
          dialog.state.turns = [...dialog.state.turns, { ...turn, startedAt: step.value.startedAt }]
          return { events, turn: step.value }
        }
        events.push(step.value)
        onEvent(step.value)
      }
    },
  }
  const deps: ConversationDeps = {
    ...{ model, clock },
    openTools: async () => {
      await dialog.opening
      if (tools === 'unreachable') throw new Error('connection refused')
      return playSession(dialog, tools)
    },
    runControl: async (name) => {
      if (dialog.isControlFailing) throw new Error('the database is down')
      dialog.controls.push(name)
      return 'The call ends now.'
    },
    saveProgress: async (parts) => {
      await dialog.beforeSave()
      if (!dialog.isOutdated) dialog.progress = structuredClone(parts)
      return !dialog.isOutdated
    },
    saveLateResult: async (result) => void dialog.late.push(result),
    onToolFailure: (error) => dialog.failures.push(error),
  }
  return dialog
}

const playSession = (dialog: Dialog, tools: readonly PlayedTool[]): OpenTools => ({
  tools: tools.map((tool) => ({
    ...{ description: `Uses ${tool.name}.`, isReadOnly: false },
    ...{ inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
    ...tool,
  })),
  call: async (name, args, signal) => {
    dialog.calls.push([name, args])
    const tool = tools.find((one) => one.name === name)
    return tool?.run?.(args, signal) ?? { text: 'Done.', isError: false }
  },
  close: async () => void (dialog.closedSessions += 1),
})

/** Returns what the agent said in a turn, including fillers. */
export const saidIn = ({ parts }: Pick<FinishedTurn, 'parts'>): string =>
  parts.flatMap((part) => (part.type === 'said' ? [part.text] : [])).join(' ')
