import { execFile } from 'node:child_process'
import { chown, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import pino from 'pino'
import { findBinaries } from '../../platform/db/embedded/binaries.ts'
import { findAccount } from '../../platform/db/embedded/os-account.ts'
import {
  postgresEnvironment,
  type Postmaster,
  startPostmaster,
} from '../../platform/db/embedded/postmaster.ts'
import { createTemporaryFolder } from '../../platform/db/embedded/private-folder.ts'
import { findFixedPort } from './fixed-port.ts'
import { waitFor } from './wait.ts'

const run = promisify(execFile)

/** Two PostgreSQL servers: a primary, and a standby that receives the primary's changes by streaming replication. */
export interface StreamingServers {
  primaryUrl: string
  replicaUrl: string
  /** The statements that the standby has received so far. */
  replicaStatements: string[]
  /** Pauses the standby: it still receives changes, but applies them only after `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  stopReplica(): Promise<void>
  startReplica(): Promise<void>
  close(): Promise<void>
}

export async function startStreamingServers(): Promise<StreamingServers> {
  const account = findAccount(undefined, pino({ level: 'silent' }))
  const { initdb, postgres } = await findBinaries(account)
  const folder = await createTemporaryFolder('outdial-streaming-', account, tmpdir())
  const asAccount = { ...account.ids, cwd: folder, env: postgresEnvironment() }
  const primaryFolder = path.join(folder, 'primary')
  const replicaFolder = path.join(folder, 'replica')
  const flags = ['--username=postgres', '--encoding=UTF8', '--locale=C', '--auth=trust', '--no-sync']
  await run(initdb, ['-D', primaryFolder, ...flags], asAccount)
  // The primary isn't running, so a copy of its files is a complete base backup.
  await run('cp', ['-R', primaryFolder, replicaFolder], asAccount)
  const signalFile = path.join(replicaFolder, 'standby.signal')
  await writeFile(signalFile, '')
  if (account.ids) await chown(signalFile, account.ids.uid, account.ids.gid)

  const replicaStatements: string[] = []
  const ports = [await findFixedPort(), await findFixedPort()] as const
  const start = (name: 'primary' | 'replica', settings: string[]): Promise<Postmaster> =>
    startPostmaster({
      ...{ postgres, account },
      cluster: path.join(folder, name),
      socketFolder: path.join(folder, `${name}-socket`),
      temporaryFolder: undefined,
      settings: ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', ...settings],
      onLine: (line) => {
        if (name === 'replica') collectStatement(replicaStatements, line)
      },
    })
  const startReplica = () =>
    start('replica', [
      `port=${ports[1]}`,
      `primary_conninfo=host=127.0.0.1 port=${ports[0]} user=postgres`,
      ...['wal_retrieve_retry_interval=100ms', 'log_statement=all'],
    ])
  const primary = await start('primary', [`port=${ports[0]}`, 'wal_keep_size=256MB'])
  let replica: Postmaster | undefined = await startReplica()
  const toUrl = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
  const replicaUrl = toUrl(ports[1])
  const stopReplica = async () => {
    await replica?.stop()
    replica = undefined
  }
  return {
    ...{ primaryUrl: toUrl(ports[0]), replicaUrl, replicaStatements, stopReplica },
    pause: async () => {
      await query(replicaUrl, 'select pg_wal_replay_pause()')
      await waitFor(async () => {
        const [row] = await query(replicaUrl, 'select pg_get_wal_replay_pause_state() as state')
        return row?.state === 'paused'
      })
    },
    resume: async () => {
      await query(replicaUrl, 'select pg_wal_replay_resume()')
    },
    startReplica: async () => {
      replica = await startReplica()
    },
    close: async () => {
      await stopReplica()
      await primary.stop()
      await rm(folder, { recursive: true })
    },
  }
}

async function query(url: string, statement: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<pg.QueryResultRow>(statement)).rows
  } finally {
    await client.end()
  }
}

/** Adds a line of the server's log to the list of statements. In the log, the further lines of a statement begin with a tab. */
function collectStatement(statements: string[], line: string): void {
  if (/LOG: +(execute|statement)/.test(line)) statements.push(line)
  else if (line.startsWith('\t')) statements.push(`${statements.pop() ?? ''}\n${line}`)
}
