import { findWorkspaceTimeZone } from '../../accounts/identity/workspaces.ts'
import { cutText } from '../../platform/core/text.ts'
import type { Db } from '../../platform/db/schema.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { findAgentVersion } from '../../queue/agents/agents.ts'
import { findContact } from '../../queue/contacts/find-contacts.ts'
import { timeZoneOfContact } from '../../queue/scheduling/time-zones.ts'
import type { ConversationState } from '../conversation/conversation.ts'
import type { AnalyzedConversation } from '../conversation/model/analysis.ts'
import { maxResultLength } from '../conversation/model/run-tools.ts'
import { getPhrases } from '../conversation/phrases/index.ts'
import type { LateResult, TurnPart } from '../conversation/transcript.ts'
import type { SampleValues } from './chat.ts'
import { chatNotFound } from './chat-errors.ts'
import type { ChatRow, TurnRow } from './chat-store.ts'

/**
 * Loads everything that a process needs to continue a chat. The agent's values are those of the version that the chat uses.
 *
 * @throws {ApiError} not_found if the contact was erased
 */
export async function loadConversation(
  db: Db,
  chat: ChatRow,
  turns: readonly TurnRow[],
): Promise<ConversationState> {
  const { workspace_id: workspaceId } = chat
  const { values: agent } = await findAgentVersion(db, workspaceId, chat.agent_id, chat.agent_version)
  const { contact, timeZone } = await loadContact(db, chat)
  return {
    agent,
    values: { agentName: agent.name, campaignName: null, contact },
    phrases: getPhrases(agent.language, agent.phrases).phrases,
    timeZone: timeZone ?? (await findWorkspaceTimeZone(db, workspaceId)),
    startedAt: chat.started_at,
    turns: turns.map(({ input, parts, messages, started_at: startedAt }) => ({
      ...{ input, parts: parts ?? [], messages, startedAt },
    })),
    lateResults: chat.late_results as LateResult[],
    isDryRun: true,
  }
}

async function loadContact(
  db: Db,
  { workspace_id: workspaceId, contact_id: contactId, sample_values: sampleValues }: ChatRow,
): Promise<{ contact: SampleValues | null; timeZone: string | undefined }> {
  if (contactId === null) return { contact: sampleValues as SampleValues, timeZone: undefined }
  const found = await findContact(db, workspaceId, contactId)
  if (found === undefined || found.erased_at !== null) throw chatNotFound()
  const { first_name, last_name, variables } = found
  return { contact: { first_name, last_name, variables }, timeZone: timeZoneOfContact(found) }
}

/** Returns what an analysis reads: the agent's settings, what the agent and the contact said, and what tools returned. */
export const toAnalyzed = (
  agent: AgentValues,
  turns: readonly Pick<TurnRow, 'input' | 'parts'>[],
): AnalyzedConversation => ({
  ...{ instructions: agent.instructions, goal: agent.goal.trim() || undefined, results: agent.results },
  transcript: turns.flatMap(({ input, parts }) => [
    ...(input?.type === 'speech' ? [{ role: 'contact' as const, text: input.text }] : []),
    ...(parts ?? []).flatMap(toAnalyzedTurns),
  ]),
})

function toAnalyzedTurns(part: TurnPart): AnalyzedConversation['transcript'] {
  if (part.type === 'said') return part.isFiller === true ? [] : [{ role: 'agent', text: part.text }]
  if (part.type === 'trouble' || part.type === 'interrupted') return []
  return [{ role: 'tool', text: `${part.name}: ${cutText(part.result ?? 'still running', maxResultLength)}` }]
}
