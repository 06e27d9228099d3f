import { AddContact, CreateCampaign, dictionaryLimits, ListQuery, RetryPolicy } from '@outdial/contract'
import * as z from 'zod'
import { retentionDays } from '../backend/api/api-log-store.ts'
import { maxChatAgeMs } from '../backend/calling/chats/erase-chats.ts'
import { idleLimitMs } from '../backend/calling/chats/idle-chats.ts'
import { maxProviderFailures } from '../backend/calling/dialer/circuit-breaker.ts'
import { callLimits } from '../backend/calling/telephony/provider.ts'
import { parseConfig } from '../backend/config.ts'
import { dayMs, secondMs } from '../backend/platform/core/durations.ts'
import { responseTtlMs } from '../backend/platform/idempotency/idempotency.ts'
import { formatCount, formatPlural } from '../backend/platform/views/format.ts'
import {
  maxChoices,
  maxLengths as agentLengths,
  maxResults,
  maxVariables as maxAgentVariables,
  minuteLimits,
} from '../backend/queue/agents/validate-agent.ts'
import { importTtlMs, maxFileBytes } from '../backend/queue/contacts/import/imports.ts'
import { maxRows } from '../backend/queue/contacts/import/parse-csv.ts'
import { maxColumns as maxImportColumns } from '../backend/queue/contacts/import/read-columns.ts'
import { undoTtlMs } from '../backend/queue/contacts/import/undo-import.ts'
import { maxWaitMs } from '../backend/queue/rules/plan-call.ts'
import { maxResponseBytes } from '../backend/tools/custom/http-tool.ts'
import { parseLimits } from '../backend/tools/knowledge/parse/parse-limits.ts'
import { maxResultCharacters, toolTimeoutMs } from '../backend/tools/mcp/call-tool.ts'
import { maxColumns as maxSpreadsheetColumns } from '../backend/tools/spreadsheets/spreadsheets.ts'
import { maxCallbacks } from '../backend/webhooks/callbacks.ts'
import { queueCallOperation } from '../src/creates/queue-call.ts'
import { maxDaysAhead } from '../src/creates/queue-call-and-wait.ts'
import { formatBytes, formatDuration } from './format-limits.ts'
import { fillPage, table } from './page-tables.ts'

export const limitsPage = new URL('../docs/reference/limits.md', import.meta.url)

/** Returns docs/reference/limits.md with the values from the code. */
export function generateLimitsPage(): Promise<string> {
  return fillPage(limitsPage, {
    'Limits of requests': limitTable(requestLimits()),
    'Limits in Zapier': limitTable(zapierLimits()),
    'Limits of calls': limitTable(callRows()),
    'Limits of contacts': limitTable(contactLimits()),
    'Limits of agents': limitTable(agentLimits()),
  })
}

type Limit = [limit: string, value: string, effect: string]

const limitTable = (limits: readonly Limit[]): string => table(['Limit', 'Value', 'What happens'], limits)

function requestLimits(): Limit[] {
  const config = parseConfig({})
  return [
    [
      'requests per minute with one API key or connection (`RATE_LIMIT_PER_MINUTE`)',
      formatCount(config.rateLimitPerMinute),
      'status 429, and `Retry-After`; Zapier runs the step again',
    ],
    [
      'requests per minute in a workspace (`RATE_LIMIT_PER_WORKSPACE`)',
      formatCount(config.rateLimitPerWorkspace),
      'status 429, and `Retry-After`; Zapier runs the step again',
    ],
    [
      'time for which an idempotency key counts (in Zapier, **Deduplication Key**)',
      formatDuration(responseTtlMs),
      'after this time, the same key queues another call',
    ],
    ['entries in one page of a list', formatCount(limitOf(ListQuery, 'limit', 'maximum')), 'status 422'],
    [
      'API keys per member in a workspace (`MAX_API_KEYS_PER_MEMBER`)',
      formatCount(config.maxApiKeysPerMember),
      'an error; revoke a key to create another',
    ],
    [
      'workspaces that a user can own (`MAX_WORKSPACES_PER_USER`)',
      formatCount(config.maxWorkspacesPerUser),
      'an error',
    ],
    [
      'time for which the API log lists requests',
      formatDuration(retentionDays * dayMs),
      'older requests are deleted',
    ],
  ]
}

function zapierLimits(): Limit[] {
  const { limit } = queueCallOperation.throttle
  return [
    [
      '**Queue Call** runs per minute with one connection',
      formatCount(limit),
      'Zapier runs the step again later',
    ],
    [
      '**Queue Call and Wait for Result**: steps that wait for the same call',
      formatCount(maxCallbacks),
      'the run is halted; use **Call Completed**',
    ],
    [
      '**Queue Call and Wait for Result**: time until **Earliest Call Time**',
      formatPlural(maxDaysAhead, 'day'),
      'the run is halted; use **Queue Call** and **Call Completed**',
    ],
    [
      '**Queue Call and Wait for Result**: time that Zapier waits',
      '30 days',
      "the Zap doesn't continue; use **Find Call** to get the result",
    ],
  ]
}

function callRows(): Limit[] {
  const maximum = (name: string) => limitOf(RetryPolicy, name, 'maximum')
  return [
    [
      'concurrent calls in a campaign',
      `can be set from 1 to ${limitOf(CreateCampaign, 'max_concurrent_calls', 'maximum')}`,
      'further calls wait',
    ],
    [
      'call attempts per call',
      `can be set from 1 to ${maximum('max_attempts')}`,
      'the call ends with the outcome of its last attempt',
    ],
    [
      'minutes between attempts',
      `can be set from 1 to ${formatCount(maximum('delay_minutes'))}`,
      'the call waits this long for its next attempt',
    ],
    [
      'time that a call can wait after it was due, even while its campaign is paused',
      formatDuration(maxWaitMs),
      'the call ends with the outcome `expired`',
    ],
    ['time until a call is due (**Earliest Call Time**)', '1 year', 'status 422'],
    [
      'time that the phone rings',
      formatDuration(callLimits.ringSeconds * secondMs),
      'the outcome is `no_answer`',
    ],
    ['length of a conversation', formatDuration(callLimits.callSeconds * secondMs), 'Outdial ends the call'],
    ['consecutive failed calls in a campaign', formatCount(maxProviderFailures), 'the campaign is paused'],
  ]
}

function contactLimits(): Limit[] {
  const length = (name: string) => `${formatCount(limitOf(AddContact, name, 'maxLength'))} characters`
  const { variables, metadata } = dictionaryLimits
  const leftOut = 'status 422; in Zapier, the entry is left out, and **Warnings** says so'
  return [
    ['first name, last name, external ID', length('first_name'), 'status 422; in Zapier, the run is halted'],
    [
      'email address',
      length('email'),
      'status 422; in Zapier, the address is left out, and **Warnings** says so',
    ],
    ['variables of a contact', formatEntries(variables), leftOut],
    ['metadata of a call', formatEntries(metadata), leftOut],
    [
      'imported file',
      `${formatBytes(maxFileBytes)}, ${formatPlural(maxRows, 'row')}`,
      'split the file into several',
    ],
    ['columns of an imported file', formatCount(maxImportColumns), 'remove columns'],
    ['time for which an imported file is stored', formatDuration(importTtlMs), 'the file is deleted'],
    [
      'time for which an import can be undone',
      formatDuration(undoTtlMs),
      'after that, change or erase the contacts one at a time',
    ],
  ]
}

const formatEntries = ({ keys, key, value }: { keys: number; key: number; value: number }): string =>
  `${keys}; names up to ${formatCount(key)} characters, values up to ${formatCount(value)}`

function agentLimits(): Limit[] {
  return [
    ['greeting of an agent', `${formatCount(agentLengths.greeting)} characters`, 'the form shows an error'],
    [
      'instructions of an agent',
      `${formatCount(agentLengths.instructions)} characters`,
      'the form shows an error',
    ],
    [
      'goal, closing line, and each standard sentence of an agent',
      `${formatCount(agentLengths.goal)} characters`,
      'the form shows an error',
    ],
    ['results of an agent', formatCount(maxResults), 'the form shows an error'],
    ['choices of a result', formatCount(maxChoices), 'the form shows an error'],
    [
      "an agent's maximum conversation length",
      `can be set from ${minuteLimits.min} to ${minuteLimits.max} minutes`,
      'the form shows an error',
    ],
    ['variables of an agent', formatCount(maxAgentVariables), 'the form shows an error'],
    ['time without a turn after which a chat ends', formatDuration(idleLimitMs), 'start a new chat'],
    [
      'time for which a chat is stored after its last turn',
      formatDuration(maxChatAgeMs),
      'the chat is deleted',
    ],
    [
      'time for a tool call',
      formatDuration(toolTimeoutMs),
      'the tool call fails, and the agent gets an error',
    ],
    ['result of a tool', `${formatCount(maxResultCharacters)} characters`, 'the rest is cut off'],
    ['response to a custom HTTP tool', formatBytes(maxResponseBytes), "the rest isn't read"],
    ['file of a document', formatBytes(parseLimits.maxFileBytes), 'the form shows an error'],
    ['text of a document', `${formatCount(parseLimits.maxTextLength)} characters`, 'the form shows an error'],
    ['columns of a spreadsheet', formatCount(maxSpreadsheetColumns), 'the form shows an error'],
  ]
}

/** Returns a field's limit in the schema of a request. */
function limitOf(schema: z.ZodType, name: string, keyword: 'maximum' | 'maxLength'): number {
  const { $ref, $defs, ...root } = z.toJSONSchema(schema, { io: 'input' })
  const { properties } = $defs?.[$ref?.replace('#/$defs/', '') ?? ''] ?? root
  const property = properties?.[name]
  const candidates = typeof property === 'object' ? [property, ...(property.anyOf ?? [])] : []
  const [limit] = candidates.flatMap((each) => (typeof each === 'object' ? (each[keyword] ?? []) : []))
  if (limit === undefined) throw new Error(`${name} has no ${keyword}`)
  return limit
}
