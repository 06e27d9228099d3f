import { preflight } from './preflight.mjs'

preflight()
const { main } = await import('../backend/admin/main.ts')
await main(process.argv.slice(2))
