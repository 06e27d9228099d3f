import { writeFile } from 'node:fs/promises'
import { runtimeDocument } from '../backend/api/openapi/runtime-document.ts'

// Writes docs/runtime.openapi.json, so that a change of the protocol shows in review.
const file = new URL('../docs/runtime.openapi.json', import.meta.url)
await writeFile(file, `${JSON.stringify(runtimeDocument(), null, 2)}\n`)
