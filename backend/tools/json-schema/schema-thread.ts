import { parentPort } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import type { ThreadMessage } from '../../platform/core/job-thread.ts'
import { checkToolSchema } from './check-tool-schema.ts'
import { createValidator, type Validator } from './create-validator.ts'
import type { ArgumentIssues, SchemaIssues, SchemaJob } from './schema-jobs.ts'

/** The thread that checks the schemas of custom tools, and validates arguments if that can take long. */

const validators = new LRUCache<string, Validator>({ max: 1_000 })

const send = (message: ThreadMessage<SchemaIssues | ArgumentIssues>) => parentPort?.postMessage(message)

parentPort?.on('message', (job: SchemaJob) => {
  if (job.type === 'check schemas')
    job.schemas.forEach((schema) => send({ result: checkToolSchema(schema, job.options) }))
  else send({ result: validate(job) })
  send('done')
})

function validate({ key, schema, args }: Extract<SchemaJob, { type: 'validate arguments' }>): ArgumentIssues {
  const cached = validators.get(key)
  const validator = cached ?? createValidator(schema, { isSimple: false })
  if (typeof validator === 'string') return validator
  if (cached === undefined) validators.set(key, validator)
  return validator(args)
}

send('ready')
