import type { CallState, RuntimeAnalysis, RuntimeDialRequest, RuntimeReport } from '@outdial/contract'

const attemptId = '7d3f0c52-5f0e-4c59-9a1e-3f2b8a6c1d04'
const widgetId = '2b1c7c1e-0e55-4b7e-8d58-6f0d3c9a4e11'

/** Example of the body of `POST /calls`, for docs/reference/runtime.openapi.json. */
export const exampleDialRequest: RuntimeDialRequest = {
  attempt_id: attemptId,
  attempt_token: 'oat_fT8MUl8OTFmaHj8rimwdBHrMZ0t0cXhHDtEoGxwN7s1vJQeB8lkKcT2wYxUa4fPz',
  call_id: 311,
  attempt: 1,
  from_number: '+12025550190',
  to_number: '+12025550100',
  agent: {
    widget_id: widgetId,
    version: 3,
    name: 'Ava',
    language: 'en-US',
    greeting: 'Hi {{first_name}}, this is Ava.',
    instructions: 'Find a day for a free roof inspection. Offer weekdays only.',
    speaks_first: 'agent',
    goal: 'The contact agreed to a day.',
    results: [{ name: 'preferred_day', type: 'text', description: 'The day they prefer', choices: [] }],
    model: null,
    closing_line: 'Thank you, {{first_name}}. Goodbye.',
    ai_disclosure: true,
  },
  campaign: { name: 'New leads' },
  contact: { first_name: 'Maya', last_name: null, variables: { product: 'roof inspection' } },
  tools_url: `https://calls.example.com/api/mcp/sse?widget_id=${widgetId}&call_id=${attemptId}`,
  tools_http_url: `https://calls.example.com/api/mcp/?widget_id=${widgetId}&call_id=${attemptId}`,
  reports_url: `https://calls.example.com/api/internal/attempts/${attemptId}/reports`,
  ring_limit_seconds: 45,
  call_limit_seconds: 600,
}

const exampleAnalysis: RuntimeAnalysis = {
  summary: 'Maya wants a roof inspection on Thursday.',
  sentiment: 'positive',
  goal_met: true,
  extracted: { preferred_day: 'Thursday' },
}

const answeredReport: RuntimeReport = { sequence: 2, type: 'answered', at: '2026-05-04T15:00:09.000Z' }

export const exampleReports: Record<string, RuntimeReport> = {
  answered: answeredReport,
  ended: {
    sequence: 3,
    type: 'ended',
    at: '2026-05-04T15:01:12.000Z',
    outcome: 'answered',
    ended_reason: 'contact_hung_up',
    answered_at: answeredReport.at,
    transcript: [
      { role: 'agent', text: 'Hi Maya, this is Ava.', at: '2026-05-04T15:00:10.000Z' },
      { role: 'tool', text: 'Searched the knowledge base for “roof”.', at: '2026-05-04T15:00:31.000Z' },
      { role: 'contact', text: 'Thursday would be fine.', at: '2026-05-04T15:01:02.000Z' },
    ],
    recording_url: null,
    do_not_call: false,
    analysis: exampleAnalysis,
  },
  busy: { sequence: 1, type: 'ended', at: '2026-05-04T15:00:02.000Z', outcome: 'busy' },
}

export const exampleState: CallState = { attempt_id: attemptId, reports: [answeredReport] }
