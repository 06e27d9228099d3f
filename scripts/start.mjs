import { loadEnvFile } from './load-env-file.mjs'
import { preflight } from './preflight.mjs'

preflight()
loadEnvFile()
const { main } = await import('../backend/main.ts')
await main()
