import { preflight } from './preflight.mjs'

preflight()
const { main } = await import('../backend/main.ts')
await main()
