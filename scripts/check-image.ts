import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findFreePort } from '../backend/db/embedded/server-address.ts'
import { interpolate, readCompose } from './docker/compose.ts'
import { buildStandIn } from './docker/stand-in.ts'

// Does what `docker build` and `docker compose up` do with the Dockerfile and compose.yaml, without Docker: runs their
// commands in a temporary folder, as an unprivileged user, on the PostgreSQL server of DATABASE_URL.
const root = path.resolve(import.meta.dirname, '..')
const server = process.env.DATABASE_URL
if (!server) throw new Error('Set DATABASE_URL to a PostgreSQL server where this can create a database.')

const name = `outdial_image_${process.pid}`
const database = new URL(server)
database.pathname = `/${name}`
const client = new pg.Client({ connectionString: server })
await client.connect()
await client.query(`create database ${name}`)
const image = buildStandIn(root)
try {
  if (image.warnings.length > 0) throw new Error(`npm warned:\n${image.warnings.join('\n')}`)
  await checkService()
  console.log('The commands of the Dockerfile and compose.yaml work.')
} finally {
  image.remove()
  await client.query(`drop database if exists ${name} with (force)`)
  await client.end()
}

async function checkService(): Promise<void> {
  const { folder, stage, env, user } = image
  const secret = 'a'.repeat(32)
  const variables = { POSTGRES_PASSWORD: 'unused', SECRET_KEY: secret, RUNTIME_SECRET: secret }
  const settings = Object.entries(
    readCompose(path.join(root, 'compose.yaml')).services.outdial?.environment ?? {},
  )
  const environment = {
    ...env,
    ...Object.fromEntries(settings.map(([key, value]) => [key, interpolate(value, variables)])),
    // What compose.yaml names doesn't exist here.
    DATABASE_URL: database.href,
    PORT: String(await findFreePort('127.0.0.1')),
  }
  const wordsOf = (keyword: string) => stage.steps.find((step) => step.keyword === keyword)?.words ?? []
  const options = { cwd: folder, env: environment, ...user }
  const run = ([command = '', ...words]: string[]) =>
    spawnSync(command, words, { ...options, encoding: 'utf8' })
  const [command = '', ...words] = wordsOf('CMD')
  const service = spawn(command, words, { ...options, stdio: 'inherit' })
  const ended = once(service, 'exit')
  try {
    while (run(wordsOf('HEALTHCHECK')).status !== 0) {
      if (service.exitCode !== null) throw new Error(`The service ended with exit code ${service.exitCode}.`)
      await delay(200)
    }
    const signIn = await fetch(`http://127.0.0.1:${environment.PORT}/sign-in`)
    if (!signIn.ok) throw new Error(`/sign-in returned ${signIn.status}.`)
    const users = run(['node', 'scripts/admin.mjs', 'list-users', '--json'])
    if (users.stdout !== '[]\n') throw new Error(`list-users failed: ${users.stdout}${users.stderr}`)
  } finally {
    service.kill('SIGTERM')
    await ended
  }
  if (service.exitCode !== 0) throw new Error(`The service stopped with exit code ${service.exitCode}.`)
  if (run(wordsOf('HEALTHCHECK')).status === 0) throw new Error('The health check passes without a service.')
}
