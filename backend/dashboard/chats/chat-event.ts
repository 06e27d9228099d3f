import type { Call, CallCompletedEvent, EndedReason } from '@outdial/contract'
import type { ChatTurn } from '../../calling/chats/chat.ts'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import type { ConversationEnd } from '../../platform/db/schema.ts'
import { formatTurn } from '../../queue/calls/get-calls.ts'
import { createTestEvent, type SampleCallValues } from '../../webhooks/send-test-event.ts'
import type { ShownChat } from './chat-context.ts'

const endedReasons: Record<ConversationEnd, EndedReason> = {
  agent: 'agent_hung_up',
  member: 'contact_hung_up',
  silence: 'agent_hung_up',
  limit: 'call_limit_reached',
  failed: 'agent_hung_up',
  idle: 'contact_hung_up',
}

/** Returns the event that a call with a chat's conversation would send. Chats themselves send no events. */
export const createChatEvent = (
  deps: Pick<Deps, 'config' | 'db'>,
  workspaceId: number,
  shown: ShownChat,
): Promise<CallCompletedEvent> =>
  createTestEvent(deps, workspaceId, {
    filter: { campaign_id: null, agent_id: shown.chat.agentId, outcome: null },
    at: shown.chat.endedAt ?? shown.chat.lastTurnAt,
    values: toCallValues(shown),
  })

/** Returns the values that a chat has in common with a call, under a call's names for them. */
export function toCallValues({ chat, agent, person }: ShownChat): SampleCallValues {
  const transcript = chat.turns.flatMap(toTranscriptTurns)
  const endedAt = chat.endedAt ?? chat.lastTurnAt
  const analysis = chat.analysis.state === 'done' ? chat.analysis.analysis : null
  const unknown = Object.fromEntries(agent.results.map(({ name }) => [name, null]))
  return {
    ...{ agent_id: chat.agentId, agent_name: agent.name, agent_version: chat.agentVersion },
    contact: { first_name: person.first_name, last_name: person.last_name, variables: person.variables },
    ended_reason: chat.endReason === null ? 'contact_hung_up' : endedReasons[chat.endReason],
    queued_at: chat.startedAt.toISOString(),
    answered_at: chat.startedAt.toISOString(),
    ended_at: endedAt.toISOString(),
    duration_seconds: Math.round((endedAt.getTime() - chat.startedAt.getTime()) / secondMs),
    transcript,
    transcript_text: transcript.length === 0 ? null : transcript.map(formatTurn).join('\n'),
    summary: analysis?.summary ?? null,
    sentiment: analysis?.sentiment ?? 'unknown',
    goal_met: analysis?.goal_met ?? null,
    opted_out: chat.turns.some(hasOptedOut),
    extracted: { ...unknown, ...(analysis?.extracted ?? chat.found) },
    ...{ recording_url: null, metadata: {} },
  }
}

const hasOptedOut = ({ parts }: ChatTurn): boolean =>
  parts.some((part) => part.type === 'tool' && part.name === 'opt_out' && !part.isError)

/** Returns what was said in a turn, without fillers: sentences that only bridge a pause. */
function toTranscriptTurns({ input, parts, startedAt }: ChatTurn): Call['transcript'] {
  const at = startedAt.toISOString()
  const heard = input?.type === 'speech' ? [{ role: 'contact' as const, text: input.text, at }] : []
  const said = parts.flatMap((part) =>
    part.type === 'said' && part.isFiller !== true ? [{ role: 'agent' as const, text: part.text, at }] : [],
  )
  return [...heard, ...said]
}
