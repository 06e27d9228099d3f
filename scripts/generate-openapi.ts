import { writeFile } from 'node:fs/promises'
import pino from 'pino'
import { generateApiDocument } from '../backend/api/register-api.ts'
import { parseConfig } from '../backend/config.ts'
import { systemClock } from '../backend/core/clock.ts'
import { noNotify } from '../backend/core/notify.ts'
import { connect } from '../backend/db/connect.ts'
import { createSecretBox } from '../backend/secrets/secret-box.ts'

// Writes contract/openapi.json, so that a change of the contract shows in review.
const document = await generateApiDocument({
  config: parseConfig({}),
  runtimeSecrets: () => [],
  // Never connected to: the document follows from the schemas alone.
  db: connect({ url: 'postgres://127.0.0.1/none' }),
  clock: systemClock,
  random: Math.random,
  log: pino({ level: 'silent' }),
  secretBox: createSecretBox(['unused']),
  notify: noNotify,
})
const file = new URL('../contract/openapi.json', import.meta.url)
await writeFile(file, `${JSON.stringify(document, null, 2)}\n`)
