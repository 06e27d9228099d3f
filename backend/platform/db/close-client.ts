import type pg from 'pg'
import { secondMs } from '../core/durations.ts'

/** Closes a connection, even if the server or the network has stopped responding: `end` alone would wait for a response. */
export async function closeClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), secondMs)
  await client.end().finally(() => clearTimeout(timer))
}
