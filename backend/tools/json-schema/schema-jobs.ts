import { secondMs } from '../../platform/core/durations.ts'
import { ApiError } from '../../platform/core/errors.ts'
import { createFairQueue } from '../../platform/core/fair-queue.ts'
import { createJobThread } from '../../platform/core/job-thread.ts'
import { type CheckOptions, checkSize, timeoutMessage } from './check-tool-schema.ts'
import type { JsonSchema } from './compile-schema.ts'

export type SchemaJob =
  | { type: 'check schemas'; schemas: unknown[]; options: CheckOptions }
  | { type: 'validate arguments'; key: string; schema: JsonSchema; args: unknown }

/** The issues of one schema. */
export type SchemaIssues = string[]

/** The issues of the arguments, or of their schema. */
export type ArgumentIssues = string[] | 'timed out' | 'invalid'

/** Maximum time to check all schemas of a list together. */
const checkTimeoutMs = 5 * secondMs

/** Maximum time for one validation. The thread already interrupts it after 100 ms, but it can't interrupt all of its work. */
const validateTimeoutMs = 3 * secondMs

const threadFile = new URL('./schema-thread.ts', import.meta.url)
const maxHeapMegabytes = 256

// Uses two threads in each process, so that a list of slow schemas doesn't delay tool calls.
const checkThread = createJobThread<SchemaJob, SchemaIssues>(threadFile, maxHeapMegabytes)
const checkQueue = createFairQueue({
  ...{ concurrency: 1, runningPerWorkspace: 1 },
  ...{ waitingPerWorkspace: 2, maxWaiting: 20 },
})
const validateThread = createJobThread<SchemaJob, ArgumentIssues>(threadFile, maxHeapMegabytes)
const validateQueue = createFairQueue({
  ...{ concurrency: 1, runningPerWorkspace: 1 },
  ...{ waitingPerWorkspace: 50, maxWaiting: 1_000 },
})

/**
 * Checks the schemas of one form or one remote server, in a thread and within a time limit for all of them together.
 * Returns the issues of each schema (see `checkToolSchema`), or `busy` if the workspace has too many such checks in progress.
 */
export async function checkToolSchemas(
  workspaceId: number,
  schemas: readonly unknown[],
  options: CheckOptions = {},
): Promise<SchemaIssues[] | 'busy'> {
  const issues = schemas.map((schema) => checkSize(schema))
  const positions = [...issues.keys()].filter((at) => issues[at]?.length === 0)
  const job = { type: 'check schemas', schemas: positions.map((at) => schemas[at]), options } as const
  if (positions.length === 0) return issues
  const outcome = await checkQueue(workspaceId, async () => {
    const checked: SchemaIssues[] = []
    await checkThread.run(job, checkTimeoutMs, (result) => checked.push(result))
    return checked
  })
  if (outcome === undefined) return 'busy'
  positions.forEach((at, index) => (issues[at] = outcome.result[index] ?? [timeoutMessage]))
  return issues
}

/**
 * Validates arguments in a thread.
 *
 * @throws {ApiError} unavailable if too many validations are waiting; the message is for the agent
 */
export async function validateInThread(
  workspaceId: number,
  tool: { key: string; name: string },
  schema: JsonSchema,
  args: unknown,
): Promise<ArgumentIssues> {
  const job = { type: 'validate arguments', key: tool.key, schema, args } as const
  const outcome = await validateQueue(workspaceId, async () => {
    let issues: ArgumentIssues = 'timed out'
    await validateThread.run(job, validateTimeoutMs, (result) => (issues = result))
    return issues
  })
  if (outcome === undefined) throw new ApiError('unavailable.tool', { values: { tool: tool.name } })
  return outcome.result
}
