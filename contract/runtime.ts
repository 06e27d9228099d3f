import * as z from 'zod'
import { AgentResult } from './agent.ts'
import { Sentiment, TranscriptTurn } from './call.ts'
import { boundedText, Id, limitEntries, PhoneNumberE164, Seconds, TimestampInput } from './primitives.ts'

// The protocol between this service and a custom agent runtime, which places the calls with TELEPHONY=http.

/** Body of `POST {RUNTIME_URL}/calls`: one call attempt. */
export const RuntimeDialRequest = z
  .object({
    attempt_id: z.uuid().describe('Also sent as Idempotency-Key. Requests with the same ID place one call.'),
    attempt_token: z
      .string()
      .regex(/^oat_/)
      .describe(
        'The credential for tools_url, tools_http_url, and reports_url, valid for this attempt only, until the attempt and its analysis end. Sent as a bearer token.',
      ),
    call_id: Id,
    attempt: z.int().min(1).describe('The number of this attempt, starting at 1'),
    from_number: PhoneNumberE164,
    to_number: PhoneNumberE164,
    agent: z.object({
      widget_id: z.uuid(),
      name: z.string(),
      language: z.string().describe('BCP 47, for example en-US'),
      greeting: z
        .string()
        .describe(
          'May contain placeholders, which the runtime fills in: {{first_name}}, {{last_name}}, {{name}}, {{agent}}, {{campaign}}, {{topic}}, and {{variable}}. Fallbacks are already resolved.',
        ),
      version: z.int().min(1).describe('The number of the version of the agent'),
      instructions: z
        .string()
        .describe(
          'What the agent does in the conversation. Blank if there are none. Placeholders as in greeting.',
        ),
      speaks_first: z.enum(['agent', 'contact']),
      goal: z.string().describe('When the call has met its goal. Can be blank. Placeholders as in greeting.'),
      results: z
        .array(AgentResult)
        .describe(
          'What to find out. The analysis sends each of these values in extracted, or null. Descriptions have placeholders as in greeting.',
        ),
      model: z.string().nullable().describe('The language model that the owner chose; null for the default'),
      closing_line: z
        .string()
        .describe('What the agent says before it ends the call. Can be blank. Placeholders as in greeting.'),
      ai_disclosure: z.boolean().describe('True if the agent says at the beginning that it is an AI'),
    }),
    campaign: z.object({ name: z.string() }),
    contact: z.object({
      first_name: z.string().nullable(),
      last_name: z.string().nullable(),
      variables: z.record(z.string(), z.string()),
    }),
    tools_url: z
      .url()
      .describe("This agent's tools for this call, over MCP (HTTP+SSE). Requires attempt_token."),
    tools_http_url: z
      .url()
      .describe('The same tools, over MCP (Streamable HTTP). Requires attempt_token in each request.'),
    reports_url: z.url().describe('Where to send the reports of this attempt. Requires attempt_token.'),
    ring_limit_seconds: Seconds,
    call_limit_seconds: Seconds,
  })
  .meta({ id: 'CallOrder' })
export type RuntimeDialRequest = z.infer<typeof RuntimeDialRequest>

/** Maximum sizes in a report. Outdial shortens longer values. If it rejected them, the whole report would be lost. */
export const reportLimits = { characters: 10_000, turns: 5_000, values: 50, key: 200, url: 2_000 }

/** Reads a missing value as null, because a language model that found nothing sometimes leaves it out. */
const orBlank = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => value ?? null, schema.nullable())

const reportText = orBlank(boundedText(reportLimits.characters)).describe(
  'Can be blank. Longer text is shortened.',
)

/** Times are saved in UTC. */
const reportTime = TimestampInput.transform((at) => new Date(at).toISOString())

const isSpoken = <Turn extends { text: string | null }>(turn: Turn): turn is Turn & { text: string } =>
  turn.text !== null

const RuntimeTranscript = z
  .array(TranscriptTurn.extend({ text: reportText, at: reportTime }))
  .max(reportLimits.turns)
  .nullable()
  .transform((turns) => turns?.filter(isSpoken) ?? [])

const RuntimeExtracted = limitEntries(
  z.record(
    boundedText(reportLimits.key),
    z.union([boundedText(reportLimits.characters), z.number(), z.boolean(), z.null()]),
  ),
  reportLimits.values,
)

/** The analysis of a conversation. */
export const RuntimeAnalysis = z
  .strictObject({
    summary: reportText,
    sentiment: orBlank(Sentiment),
    goal_met: orBlank(z.boolean()),
    extracted: orBlank(RuntimeExtracted),
  })
  .meta({ id: 'RuntimeAnalysis' })
export type RuntimeAnalysis = z.infer<typeof RuntimeAnalysis>

/** The URL of a conversation's recording. */
export const RecordingUrl = boundedText(reportLimits.url).check(z.url({ protocol: /^https?$/ }))

const sequence = z
  .int()
  .min(1)
  .max(1_000_000)
  .describe('A different number for each report of an attempt, increasing in the order of events')
const reportFields = { sequence, at: reportTime }

const endedFields = { ...reportFields, type: z.literal('ended') }

const EndedReport = z.discriminatedUnion('outcome', [
  z.strictObject({
    ...endedFields,
    outcome: z.literal('answered'),
    ended_reason: z.enum(['agent_hung_up', 'contact_hung_up']),
    answered_at: reportTime,
    transcript: RuntimeTranscript,
    recording_url: RecordingUrl.nullish(),
    do_not_call: z.boolean().nullish().describe('True if the contact asked not to be called again'),
    analysis: RuntimeAnalysis.nullish().describe(
      'Omit this field if the analysis is not ready. Outdial then waits up to two minutes for a report of the type analysis. Null means that there will be no analysis.',
    ),
  }),
  z.strictObject({
    ...endedFields,
    outcome: z.literal('voicemail'),
    answered_at: reportTime,
    transcript: RuntimeTranscript,
    summary: reportText,
  }),
  z.strictObject({ ...endedFields, outcome: z.enum(['no_answer', 'busy', 'declined', 'failed']) }),
])

/** Body of a report on an attempt. */
export const RuntimeReport = z
  .discriminatedUnion('type', [
    z.strictObject({ ...reportFields, type: z.literal('ringing') }),
    z.strictObject({ ...reportFields, type: z.literal('answered') }),
    EndedReport,
    z.strictObject({ ...reportFields, type: z.literal('analysis'), analysis: RuntimeAnalysis }),
  ])
  .meta({ id: 'RuntimeReport' })
export type RuntimeReport = z.infer<typeof RuntimeReport>

/** The fields that a report of any type can have. */
export const reportFieldNames: ReadonlySet<string> = new Set(
  RuntimeReport.options
    .flatMap((option): readonly z.ZodObject[] => ('shape' in option ? [option] : option.options))
    .flatMap(({ shape }) => Object.keys(shape)),
)

/** Response to a report. */
export const ReportAccepted = z.object({ attempt_id: z.uuid(), sequence }).meta({ id: 'ReportTaken' })
export type ReportAccepted = z.infer<typeof ReportAccepted>

/** Maximum number of reports that are read from one response. A real attempt has fewer. */
export const maxReports = 1_000

/** Response to `GET {RUNTIME_URL}/calls/{attempt_id}`: all reports so far, including those that the runtime already sent. */
export const CallState = z
  .object({ attempt_id: z.uuid(), reports: z.array(RuntimeReport).max(maxReports) })
  .meta({ id: 'CallState' })
export type CallState = z.infer<typeof CallState>
