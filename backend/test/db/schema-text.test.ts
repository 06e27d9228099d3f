import { readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import pg from 'pg'
import { generateSchema, schemaFile } from '../../../scripts/schema-text.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

it('backend/platform/db/schema.sql contains the current schema: run `npm run generate` if this fails', async () => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    expect(await generateSchema(client)).toBe(readFileSync(schemaFile, 'utf8'))
  } finally {
    await client.end()
  }
})
