import { type Call, type CallOutcome, type EndedReason, exampleCall } from '@outdial/contract'

/** No call or contact has it, and it still fits the integers of other people's databases. */
export const sampleId = 2_147_483_647

const endedReasons: Record<CallOutcome, EndedReason> = {
  answered: 'agent_hung_up',
  voicemail: 'voicemail_reached',
  no_answer: 'ring_timeout',
  busy: 'line_busy',
  declined: 'contact_declined',
  failed: 'line_failed',
  suppressed: 'do_not_call',
  expired: 'not_attempted_in_time',
  canceled: 'canceled_by_user',
}

const outcomesWithoutAttempt = new Set<CallOutcome>(['suppressed', 'expired', 'canceled'])

/** What a sample is filled with, so that it passes the filter of the subscription that it is for. */
export interface SampleCall {
  campaign: { id: number; name: string }
  agent: { id: number; name: string }
  outcome: CallOutcome
  at: Date
}

/**
 * A call that was never made, as a subscription would hear of it. Its ids belong to nothing, so that no record is
 * overwritten where the receiver looks one up by them; `test` says the rest.
 */
export function sampleCall({ campaign, agent, outcome, at }: SampleCall): Call {
  const secondsBefore = (seconds: number) => new Date(at.getTime() - seconds * 1000).toISOString()
  const call: Call = {
    ...exampleCall,
    id: sampleId,
    test: true,
    outcome,
    ended_reason: endedReasons[outcome],
    campaign_id: campaign.id,
    campaign_name: campaign.name,
    agent_id: agent.id,
    agent_name: agent.name,
    contact: {
      ...exampleCall.contact,
      id: sampleId,
      external_id: null,
      created_at: secondsBefore(90),
      updated_at: secondsBefore(90),
    },
    attempts: outcomesWithoutAttempt.has(outcome) ? 0 : 1,
    queued_at: secondsBefore(90),
    answered_at: secondsBefore(66),
    ended_at: at.toISOString(),
    transcript: exampleCall.transcript.map((turn, index) => ({
      ...turn,
      at: secondsBefore(60 - 10 * index),
    })),
  }
  return outcome === 'answered' ? call : withoutConversation(call)
}

const withoutConversation = (call: Call): Call => ({
  ...call,
  answered_at: null,
  duration_seconds: null,
  summary: null,
  transcript: [],
  transcript_text: null,
  sentiment: 'unknown',
  goal_met: null,
  extracted: {},
})
