import { Pool } from 'undici'
import { repeat, serve } from './serve.ts'

/** Posts the same body over connections that stay open. It neither signs nor records anything. */
const { BENCH_RECEIVER = '', BENCH_BODY = '' } = process.env
const headers = { 'content-type': 'application/json' }

const pools = new Map<number, Pool>()

serve({
  work: (seconds, width) => {
    const pool = pools.get(width) ?? new Pool(BENCH_RECEIVER, { connections: width })
    pools.set(width, pool)
    return repeat(seconds, width, async () => {
      const response = await pool.request({ method: 'POST', path: '/', headers, body: BENCH_BODY })
      await response.body.dump()
      return undefined
    })
  },
  stop: () => Promise.all([...pools.values()].map((pool) => pool.close())),
})
