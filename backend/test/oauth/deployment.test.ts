import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { createOauthClient } from '../../accounts/oauth/create-oauth-client.ts'
import { createApp } from '../../app.ts'
import { parseConfig } from '../../config.ts'
import { connect as openPool } from '../../platform/db/connect.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { testDeps } from '../support/deps.ts'
import { useTestDatabase } from '../support/world.ts'

const publicUrl = 'https://outdial.example'
const config = parseConfig({
  PUBLIC_URL: publicUrl,
  SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
})

let app: FastifyInstance
let authorize: string
// This hook must run before the database's hook. Jest runs these hooks in registration order.
afterAll(async () => {
  await app.close()
})
const database = useTestDatabase()
beforeAll(async () => {
  const deps = testDeps(database.db, { config })
  app = await createApp(deps)
  const { clientId } = await createOauthClient(deps, {
    name: 'Zapier',
    redirect_uris: ['https://zapier.example/return/'],
    confidential: true,
  })
  authorize = `/oauth/authorize?${new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: 'https://zapier.example/return/',
  }).toString()}`
})

it('behind a proxy that terminates TLS, uses https URLs and marks every cookie Secure', async () => {
  const metadata = await app.inject('/.well-known/oauth-authorization-server')
  expect(metadata.json()).toMatchObject({ issuer: publicUrl, token_endpoint: `${publicUrl}/oauth/token` })

  const redirect = await app.inject(authorize)
  expect(redirect.statusCode).toBe(303)
  const cookie = redirect.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const page = await app.inject({ url: redirect.headers.location, headers: { cookie } })
  expect(page.statusCode).toBe(200)
  expect(page.headers['content-security-policy']).toContain("form-action 'self' https://zapier.example;")
  const cookies = [...redirect.cookies, ...page.cookies]
  expect(cookies.map(({ name }) => name)).toContain('__Host-outdial_csrf')
  expect(cookies.every(({ secure }) => secure === true)).toBe(true)
})

it('responds with 503 during a database outage, as JSON to programs and as a page to browsers', async () => {
  const proxy = await createDatabaseProxy(database.url)
  const db = openPool({ url: proxy.url })
  const logLines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void logLines.push(line) })
  const broken = await createApp(testDeps(db, { config, log }))
  await proxy.disconnect()
  try {
    const token = await broken.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
      payload: 'grant_type=refresh_token&refresh_token=x&client_id=x&client_secret=x',
    })
    expect([token.statusCode, token.json<{ error: string }>().error]).toEqual([503, 'server_error'])
    expect(token.headers['retry-after']).toBe('5')
    const requestId = token.headers['x-request-id']
    expect(requestId).toBeDefined()
    expect(logLines.join('')).toContain(`"request_id":"${String(requestId)}"`)
    const page = await broken.inject(authorize)
    expect(page.statusCode).toBe(503)
    expect(page.body).toContain('Outdial is temporarily unavailable')
    await proxy.reconnect()
    expect((await broken.inject(authorize)).statusCode).toBe(303)
  } finally {
    await broken.close()
    await db.destroy()
    await proxy.disconnect()
  }
})

it('serves the style sheet with an immutable cache header, but serves no files from outside the assets folder', async () => {
  const styles = await app.inject('/assets/outdial.css?v=1')
  expect(styles.headers['cache-control']).toContain('immutable')
  expect(styles.headers['content-type']).toContain('text/css')
  const paths = [
    '/assets/',
    '/assets/../public-layout.ts',
    '/assets/%2e%2e/public-layout.ts',
    '/assets/..%5cpublic-layout.ts',
  ]
  for (const url of [...paths, '/assets//etc/passwd', '/docs/static/..%2f..%2fpackage.json']) {
    expect((await app.inject(url)).statusCode).toBe(404)
  }
})

it("doesn't serve the OAuth library's undocumented endpoints", async () => {
  for (const url of [
    '/jwks',
    '/oauth/jwks',
    '/me',
    '/reg',
    '/session/end',
    '/.well-known/openid-configuration',
  ]) {
    expect((await app.inject(url)).statusCode).toBe(404)
  }
})
