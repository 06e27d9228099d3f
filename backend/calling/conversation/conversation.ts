import type { ModelMessage } from 'ai'
import type { Clock } from '../../platform/core/clock.ts'
import { minuteMs, secondMs } from '../../platform/core/durations.ts'
import { cutText } from '../../platform/core/text.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { type CallValues, fillSpokenText } from '../../queue/calls/fill-spoken-text.ts'
import { bridgePauses, createPauses, type Pauses } from './bridge-pauses.ts'
import type { CallControlName } from './call-controls.ts'
import { createTurnTools, type OpenTools, type TurnTools } from './conversation-tools.ts'
import { withDisclosure } from './disclosure.ts'
import { findRunning, toHistory, toInputMessages, toLateResultsMessage, toSaidMessage } from './history.ts'
import { failureSentences, type ModelFailure } from './model/failure.ts'
import type { ModelClient } from './model/model-client.ts'
import { stillRunning } from './model/run-tools.ts'
import type { TurnPart as ModelPart } from './model/stream-turn.ts'
import { noUsage, type TokenUsage } from './model/usage.ts'
import { fillPhrases, type Phrases } from './phrases/index.ts'
import { buildPrompt } from './prompt.ts'
import { createSpokenTextStream } from './spoken-text.ts'
import type {
  FinishedTurn,
  LateResult,
  OwnEnd,
  ToolPart,
  Turn,
  TurnEvent,
  TurnInput,
  TurnPart,
} from './transcript.ts'

/** The functions that a conversation calls. They're the same whether the contact hears the agent's words or reads them. */
export interface ConversationDeps {
  model: Pick<ModelClient, 'streamTurn'>
  clock: Clock
  /** Opens a session on the tool server. */
  openTools(signal: AbortSignal): Promise<OpenTools>
  /** Runs a call control, and returns the result that the model reads. */
  runControl(name: CallControlName): Promise<string>
  /**
   * Saves the parts of a turn in progress, so that any process that continues knows which tools were started. Returns false if
   * the turn isn't the newest anymore, or if its parts can't be saved: then no tool that has effects may start. Never rejects.
   */
  saveProgress(parts: readonly TurnPart[]): Promise<boolean>
  /** Saves a result that arrives after its turn. Never rejects. */
  saveLateResult(result: LateResult): Promise<void>
  /** Reports that the tool server can't be reached, or that it rejected a tool call. */
  onToolFailure(error: unknown): void
}

/** Everything that a process needs to continue a conversation. */
export interface ConversationState {
  agent: AgentValues
  /** The values of the placeholders. */
  values: CallValues
  /** The sentences that the conversation says without the model. They can have placeholders. */
  phrases: Phrases
  /** The contact's time zone. */
  timeZone: string
  startedAt: Date
  turns: readonly Turn[]
  /** The results that have arrived since the last turn. */
  lateResults: readonly LateResult[]
  /** True if tools that have effects change nothing. */
  isDryRun: boolean
}

const maxTurns = 200
/** Maximum characters of a tool's result that a turn stores. The model gets fewer. */
const maxStoredResult = 16_384
/** How long before the agent's time limit the conversation ends, so that there's still time for the closing line. */
const closingMs = 20 * secondMs
/** The time limit for agents that were saved before agents had one. */
const defaultMaxMinutes = 30
/**
 * Maximum characters of a request to the model: about 100,000 tokens. A conversation whose next request would be longer ends.
 */
const maxRequestLength = 300_000

type ModelFinish = Extract<ModelPart, { type: 'finish' }>

/** A turn in progress. */
interface OpenTurn {
  input: TurnInput | null
  startedAt: Date
  parts: TurnPart[]
  messages: ModelMessage[]
  usage: TokenUsage
  model: string | undefined
  end: OwnEnd | undefined
}

/**
 * A conversation of an agent with a contact: takes what the contact says, and streams what the agent says and does. One
 * object takes one turn.
 */
export class Conversation {
  readonly #deps: ConversationDeps
  readonly #state: ConversationState
  /** The sentences with filled placeholders. They can contain what a public form sent, so never add them to instructions. */
  readonly #phrases: Phrases

  constructor(deps: ConversationDeps, state: ConversationState) {
    this.#deps = deps
    this.#state = state
    this.#phrases = fillPhrases(state.phrases, state.values)
  }

  /**
   * Takes the next turn: yields what the agent says and does, and returns what to store. Never throws, whatever fails.
   *
   * @param input null for the first turn of a conversation
   * @param signal interrupts the turn. What was said until then stays part of it.
   */
  async *takeTurn(input: TurnInput | null, signal: AbortSignal): AsyncGenerator<TurnEvent, FinishedTurn> {
    const turn: OpenTurn = {
      ...{ input, startedAt: this.#deps.clock.now(), parts: [], messages: [] },
      ...{ usage: noUsage, model: undefined, end: undefined },
    }
    if (input === null) yield* this.#begin(turn)
    // The contact interrupted the turn that should have confirmed the opt-out, or its process was killed.
    else if (this.#findOptOut() !== undefined) yield* this.#confirmOptOut(turn)
    else if (this.#isOver()) yield* this.#say(turn, this.#closingLine() || this.#phrases.timeUp, 'limit')
    else if (input.type === 'silence') yield* this.#reactToSilence(turn)
    else yield* this.#react(turn, signal)
    if (turn.end === undefined && signal.aborted) yield add(turn, { type: 'interrupted' })
    const lateResultIds = turn.parts.flatMap((part) => (part.type === 'late_result' ? [part.id] : []))
    return { ...turn, lateResultIds }
  }

  /** Says the first words, unless the contact speaks first. */
  async *#begin(turn: OpenTurn): AsyncGenerator<TurnEvent, void> {
    if (this.#state.agent.speaks_first === 'agent') yield* this.#say(turn, this.#opening())
  }

  /** Asks a silent contact if they're still there, and ends the conversation if they stay silent. */
  async *#reactToSilence(turn: OpenTurn): AsyncGenerator<TurnEvent, void> {
    const { turns } = this.#state
    const hasAsked = turns.at(-1)?.input?.type === 'silence' && turns.slice(0, -1).some(hasSaid)
    if (!this.#hasSpoken()) yield* this.#say(turn, this.#opening())
    else if (hasAsked) yield* this.#say(turn, this.#phrases.silenceGoodbye, 'silence')
    else yield* this.#say(turn, this.#phrases.silenceQuestion)
  }

  async *#react(turn: OpenTurn, signal: AbortSignal): AsyncGenerator<TurnEvent, void> {
    const { agent } = this.#state
    if (!this.#hasSpoken()) {
      // A contact who speaks first expects to hear who is calling, whatever they said.
      if (agent.greeting.trim() !== '') return yield* this.#say(turn, this.#opening())
      // `this.#say` would also add the disclosure to the model's messages. The model would then seem to have answered already.
      if (agent.ai_disclosure) yield* say(turn, `${this.#phrases.aiDisclosure} `)
    }
    const pauses = createPauses(this.#phrases)
    const tools = yield* this.#openTools(turn, pauses, signal)
    try {
      yield* this.#takeLateResults(turn)
      yield* this.#answer(turn, tools, pauses, signal)
    } finally {
      tools.end(signal.aborted)
    }
  }

  async *#openTools(
    turn: OpenTurn,
    pauses: Pauses,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEvent, TurnTools> {
    const { turns, lateResults, isDryRun } = this.#state
    let session: OpenTools | undefined
    const opening = yieldOnce(this.#deps.openTools(signal))
    try {
      for await (const opened of bridgePauses(this.#deps.clock, opening, pauses.getLimitMs)) {
        if (opened === 'pause') yield add(turn, { type: 'said', text: pauses.take(), isFiller: true })
        else session = opened
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#deps.onToolFailure(error)
        yield add(turn, { type: 'trouble', sentence: noToolServer })
      }
    }
    const running = findRunning(turns, lateResults, turn.startedAt)
    const deps = { ...this.#deps, saveProgress: () => this.#deps.saveProgress(turn.parts) }
    return createTurnTools(deps, { session, running, isDryRun, turnNumber: turns.length + 1 })
  }

  async *#takeLateResults(turn: OpenTurn): AsyncGenerator<TurnEvent, void> {
    const { lateResults } = this.#state
    if (lateResults.length === 0) return
    turn.messages.push(toLateResultsMessage(lateResults))
    for (const result of lateResults) yield add(turn, result)
  }

  /** Lets the model answer. */
  async *#answer(
    turn: OpenTurn,
    tools: TurnTools,
    pauses: Pauses,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEvent, void> {
    const { agent, turns } = this.#state
    const { instructions, data } = this.#buildPrompt(tools)
    const history = [...toHistory(data, turns), ...toInputMessages(turn.input), ...turn.messages]
    const model = agent.model === null ? {} : { model: agent.model }
    const request = {
      ...model,
      instructions,
      messages: history,
      tools: tools.offered,
      signal,
      maxRequestLength,
    }
    const stream = this.#deps.model.streamTurn(request)
    let text = createSpokenTextStream()
    for await (const part of bridgePauses(this.#deps.clock, stream, pauses.getLimitMs)) {
      if (part === 'pause') {
        yield add(turn, { type: 'said', text: pauses.take(), isFiller: true })
        continue
      }
      pauses.note(part)
      if (part.type === 'text') {
        yield* say(turn, text.write(part.text))
        continue
      }
      yield* say(turn, text.end())
      text = createSpokenTextStream()
      if (part.type === 'tool_call') yield add(turn, tools.toPart(part.toolCallId, part.name, part.args))
      else if (part.type === 'tool_result') {
        yield* finishTool(turn, tools, part)
        // Without the saved result, a process that continues the conversation couldn't tell whether the tool has done its work. If
        // the turn can't be saved anymore, the result is saved as a late one.
        const isSaved = !tools.hasEffects(part.name) || (await this.#deps.saveProgress(turn.parts))
        if (isSaved && part.result !== stillRunning) tools.setTaken(part.toolCallId)
      } else yield* this.#finish(turn, tools, part)
    }
  }

  /** Ends the model's turn, and says the sentence that's due then, such as after a failure or an opt-out. */
  async *#finish(
    turn: OpenTurn,
    tools: TurnTools,
    part: Extract<ModelPart, { type: 'finish' | 'failure' }>,
  ): AsyncGenerator<TurnEvent, void> {
    turn.messages.push(...part.messages)
    turn.usage = part.usage
    if (part.type === 'failure') {
      if (part.failure.kind === 'aborted') return
      yield add(turn, { type: 'trouble', sentence: describeFailure(part.failure) })
      yield* this.#say(turn, this.#phrases.technicalTrouble, 'failed')
      return
    }
    if (!part.isTooLong) turn.model = part.model
    for (const sentence of describeProblems(part)) yield add(turn, { type: 'trouble', sentence })
    const failedControl = tools.findFailedControl()
    if (failedControl === 'opt_out' || (failedControl !== undefined && !hasUsed(turn, 'opt_out'))) {
      yield* this.#endAfterFailedControl(turn, failedControl)
      return
    }
    // An opt-out has priority over `end_call`, because it must always be confirmed.
    if (hasUsed(turn, 'opt_out')) yield* this.#say(turn, this.#phrases.optedOut, 'agent')
    else if (hasUsed(turn, 'end_call')) yield* this.#say(turn, this.#goodbye(turn), 'agent')
    else if (part.isTooLong) yield* this.#say(turn, this.#closingLine() || this.#phrases.timeUp, 'limit')
    else if (!hasSaid(turn)) yield* this.#say(turn, this.#phrases.notUnderstood)
  }

  /** Says words of the conversation itself, and adds them to the model's history as if the model had said them. */
  async *#say(turn: OpenTurn, text: string, end?: OwnEnd): AsyncGenerator<TurnEvent, void> {
    turn.end = end
    if (text === '') return
    turn.messages.push(toSaidMessage(text))
    yield add(turn, { type: 'said', text: ` ${text}` })
  }

  #buildPrompt(tools: TurnTools) {
    const { agent, values, phrases, timeZone } = this.#state
    const { contact } = values
    return buildPrompt({
      agent: {
        ...agent,
        ...{ speaksFirst: agent.speaks_first, aiDisclosure: agent.ai_disclosure },
        closingLine: agent.closing_line,
      },
      contact: contact && {
        ...{ firstName: contact.first_name, lastName: contact.last_name },
        variables: { ...contact.variables },
      },
      disclosure: phrases.aiDisclosure,
      now: this.#deps.clock.now(),
      timeZone,
      toolNames: tools.offered.map(({ name }) => name),
    })
  }

  #opening(): string {
    const { agent, values, phrases } = this.#state
    const greeting = fillSpokenText(agent.greeting.trim() || phrases.defaultGreeting, values)
    const disclosure = agent.ai_disclosure ? this.#phrases.aiDisclosure : ''
    return withDisclosure(greeting, disclosure, agent.speaks_first)
  }

  #closingLine(): string {
    return fillSpokenText(this.#state.agent.closing_line, this.#state.values)
  }

  /**
   * Returns the last words of a call that the agent ends. Blank if there's no closing line, and the model has already spoken in
   * this turn.
   */
  #goodbye(turn: OpenTurn): string {
    return this.#closingLine() || (hasSaid(turn) ? '' : this.#phrases.goodbye)
  }

  #hasSpoken(): boolean {
    return this.#state.turns.some(hasSaid)
  }

  /** Returns the opt-out that no turn has confirmed yet. */
  #findOptOut(): ToolPart | undefined {
    return this.#state.turns
      .flatMap(({ parts }) => parts)
      .filter((part) => part.type === 'tool')
      .find((part) => part.name === 'opt_out' && !part.isError)
  }

  /** Confirms an opt-out of an earlier turn. Carries it out first if it's unknown whether that turn did. */
  async *#confirmOptOut(turn: OpenTurn): AsyncGenerator<TurnEvent, void> {
    const optOut = this.#findOptOut()
    if (optOut?.result === null) {
      const result = await this.#deps.runControl('opt_out').catch((error: unknown) => {
        this.#deps.onToolFailure(error)
      })
      if (result === undefined) return yield* this.#endAfterFailedControl(turn, 'opt_out')
      yield add(turn, { type: 'late_result', id: optOut.id, name: optOut.name, result, isError: false })
    }
    yield* this.#say(turn, this.#phrases.optedOut, 'agent')
  }

  /** Ends the conversation without a confirmation, because an opt-out that wasn't saved must not be confirmed. */
  async *#endAfterFailedControl(turn: OpenTurn, name: CallControlName): AsyncGenerator<TurnEvent, void> {
    yield add(turn, { type: 'trouble', sentence: `The agent used ${name}, but that failed.` })
    yield* this.#say(turn, this.#phrases.technicalTrouble, 'failed')
  }

  #isOver(): boolean {
    const { agent, startedAt, turns } = this.#state
    const maxMs = (agent.max_minutes ?? defaultMaxMinutes) * minuteMs - closingMs
    return turns.length >= maxTurns || this.#deps.clock.now().getTime() - startedAt.getTime() >= maxMs
  }
}

/** Says what an operator should know about an answer that didn't fail. */
const describeProblems = ({ isTruncated, isFiltered, skippedCalls }: ModelFinish): string[] => [
  ...(isTruncated ? [`The language model's answer was longer than an answer can be${endIsMissing}`] : []),
  ...(isFiltered ? [`The language model's content filter ended the answer${endIsMissing}`] : []),
  ...(skippedCalls > 0
    ? [`The language model asked for more tool calls than it can make. Not made: ${skippedCalls}.`]
    : []),
]

const endIsMissing = ', so its end is missing, and so are the tools that it wanted to use.'

async function* yieldOnce<Value>(promise: Promise<Value>): AsyncGenerator<Value, void> {
  yield await promise
}

const noToolServer = "The tool server couldn't be reached, so the agent had no tools in this turn."

const describeFailure = ({ kind, status }: ModelFailure): string =>
  status === undefined ? failureSentences[kind] : `${failureSentences[kind]} HTTP status: ${status}.`

const hasSaid = ({ parts }: Pick<Turn, 'parts'>): boolean =>
  parts.some((part) => part.type === 'said' && part.isFiller !== true)

const hasUsed = ({ parts }: Pick<Turn, 'parts'>, name: CallControlName): boolean =>
  parts.some((part) => part.type === 'tool' && part.name === name && !part.isError)

/**
 * Adds a part to a turn, or adds its words to the last part if that has words of the same kind. Returns the event to stream.
 */
function add(turn: OpenTurn, part: TurnPart): TurnEvent {
  const last = turn.parts.at(-1)
  if (part.type === 'said' && last?.type === 'said' && last.isFiller === part.isFiller) {
    last.text += part.text
    return part
  }
  const added = part.type === 'said' ? { ...part, text: part.text.trimStart() } : { ...part }
  turn.parts.push(added)
  return added.type === 'tool' ? { type: 'tool_started', tool: { ...added } } : { ...added }
}

function* say(turn: OpenTurn, text: string): Generator<TurnEvent, void> {
  if (text !== '') yield add(turn, { type: 'said', text })
}

function* finishTool(
  turn: OpenTurn,
  tools: TurnTools,
  { toolCallId, result, isError }: Extract<ModelPart, { type: 'tool_result' }>,
): Generator<TurnEvent, void> {
  if (result === stillRunning) return
  const id = tools.toPartId(toolCallId)
  const part = turn.parts.find((one) => one.type === 'tool' && one.id === id)
  if (part?.type !== 'tool') return
  part.result = cutText(result, maxStoredResult)
  part.isError = tools.findOutcome(toolCallId)?.isError ?? isError
  yield { type: 'tool_finished', tool: { ...part } }
}
