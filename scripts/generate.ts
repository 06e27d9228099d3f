import { writeFile } from 'node:fs/promises'
import pino from 'pino'
import { runtimeDocument } from '../backend/api/openapi/runtime-document.ts'
import { generateApiDocument } from '../backend/api/register-api.ts'
import { parseConfig } from '../backend/config.ts'
import { systemClock } from '../backend/platform/core/clock.ts'
import { noNotify } from '../backend/platform/core/notify.ts'
import { connect } from '../backend/platform/db/connect.ts'
import { createLoneReplica } from '../backend/platform/replicas/replicas.ts'
import { createSecretBox } from '../backend/platform/secrets/secret-box.ts'
import { createMetrics } from '../backend/service/metrics/metrics.ts'
import { writeResultPages } from '../bench/report/save.ts'
import { countryNamesFile, generateCountryNames } from './country-names.ts'
import { evidencePage, generateEvidencePage } from './evidence-page.ts'
import { functionVersionFile, generateFunctionVersion } from './function-version.ts'
import { generatedFile, generateText } from './generated-text.ts'
import { generateSchemaOfNewDatabase, schemaFile } from './schema-text.ts'
import { generateTimeZoneNames, timeZoneNamesFile } from './time-zone-names.ts'

// Writes the files that are generated from the contract: the connector's samples and fields, its list of keys, the catalog of
// errors, the tables of other pages, and the two OpenAPI documents. Also writes the page with each promise's tests and alerts,
// the pages with measured results, the names of countries and time zones, the database's schema, and its functions' version.
// All are committed, so that a review shows the effects of a change.
await writeFile(generatedFile, await generateText())
// These files are imported here, because they load the connector, which needs the samples and fields that were written above.
const { generateKeys, keysFile } = await import('./connector-keys.ts')
const { errorsPage, generateErrorsPage } = await import('./errors-page.ts')
const { callReasonsPage, generateCallReasonsPage } = await import('./call-reasons-page.ts')
const { generateInputFieldsPage, inputFieldsPage } = await import('./input-fields-page.ts')
const { generateWebhooksPage, webhooksPage } = await import('./webhooks-page.ts')
const { generateOutputFieldsPage, outputFieldsPage } = await import('./output-fields-page.ts')
const { generateLimitsPage, limitsPage } = await import('./limits-page.ts')
await writeFile(keysFile, await generateKeys())
await writeFile(errorsPage, await generateErrorsPage())
await writeFile(callReasonsPage, await generateCallReasonsPage())
await writeFile(inputFieldsPage, await generateInputFieldsPage())
await writeFile(webhooksPage, await generateWebhooksPage())
await writeFile(outputFieldsPage, await generateOutputFieldsPage())
await writeFile(limitsPage, await generateLimitsPage())
await writeResultPages()
await writeFile(evidencePage, await generateEvidencePage())
await writeDocument('contract/openapi.json', await describeApi())
await writeDocument('docs/reference/runtime.openapi.json', runtimeDocument())
await writeFile(countryNamesFile, await generateCountryNames())
await writeFile(timeZoneNamesFile, await generateTimeZoneNames())
await writeFile(functionVersionFile, await generateFunctionVersion())
await writeFile(schemaFile, await generateSchemaOfNewDatabase())

async function writeDocument(path: string, document: object): Promise<void> {
  await writeFile(new URL(`../${path}`, import.meta.url), `${JSON.stringify(document, null, 2)}\n`)
}

async function describeApi(): Promise<object> {
  return generateApiDocument({
    config: parseConfig({}),
    runtimeSecrets: () => [],
    runtimeSigningKeys: () => [],
    attemptTokenKey: Buffer.from('unused'),
    // Never connects to a database, because the document depends only on the schemas.
    db: connect({ url: 'postgres://127.0.0.1/none' }),
    readReplica: undefined,
    clock: systemClock,
    random: Math.random,
    log: pino({ level: 'silent' }),
    secretBox: createSecretBox(['unused']),
    notify: noNotify,
    metrics: createMetrics(),
    model: undefined,
    replicas: createLoneReplica(),
  })
}
