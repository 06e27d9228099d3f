import { beforeAll, expect, it } from '@jest/globals'
import { Scope } from '@outdial/contract'
import type { LightMyRequestResponse } from 'fastify'
import * as z from 'zod'
import { removeMember } from '../../accounts/access/remove-member.ts'
import { disconnectApp, revokeApiKey } from '../../accounts/access/revoke-connection.ts'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { addMember } from '../../accounts/identity/members.ts'
import type { Route } from '../../api/define-route.ts'
import { routes } from '../../api/routes.ts'
import { hourMs, secondMs } from '../../platform/core/durations.ts'
import { createAttemptToken } from '../../platform/secrets/attempt-tokens.ts'
import { createConversationToken } from '../../platform/secrets/conversation-tokens.ts'
import { apiRequests, inputFor, type RouteInput } from '../support/api-requests.ts'
import { seedChatWithToken } from '../support/chats-with-tokens.ts'
import { seedLiveCall, seedUser } from '../support/factories.ts'
import { dumpRows, rowsOfWorkspace } from '../support/foreign-objects.ts'
import { findIdFields } from '../support/id-fields.ts'
import { connect, parseTokens, refresh, seedApp } from '../support/oauth.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { useServiceWorld } from '../support/service.ts'
import { createSender, parseError } from '../support/test-api.ts'

// These tests call every route of the API's table, including routes added later. A test fails if a route has no request below,
// or an ID field has no value.

/** Fields with IDs from the customer's own systems. Two workspaces can use the same ID. */
const customerFields = ['body.external_id', 'query.external_id']

/** An ID that no object has. */
const unusedId = 999_999_999

let ours: SeededObjects
let theirs: SeededObjects
let ourKey: string
let theirKey: string
/** Credentials without access to the other workspace's API, each with the expected error code. */
let endedCredentials: Record<string, { key: string | null; code: string }>
/** For each scope, an access token for the other workspace with all scopes except this one. */
let tokensWithout: Map<Scope, string>
const world = useServiceWorld()

beforeAll(async () => {
  const { service } = world
  const { deps } = service
  ours = await seedEverything(service, 'Ours')
  theirs = await seedEverything(service, 'Theirs')
  const { workspaceId } = theirs
  const createKey = (of: SeededObjects, userId: number) => createApiKey(deps, of.workspaceId, userId, of.mark)
  ourKey = (await createKey(ours, ours.owner)).key
  theirKey = (await createKey(theirs, theirs.owner)).key

  const owner = { ...theirs.user, workspaces: { Theirs: workspaceId } }
  const app = await seedApp(service, 'confidential')
  const expired = await connect(app, owner, 'Theirs')
  deps.clock.advance(24 * hourMs)

  const removed = { ...(await seedUser(deps)), workspaces: { Theirs: workspaceId } }
  await addMember(deps, workspaceId, removed.userId, 'member')
  const removedKey = await createKey(theirs, removed.userId)
  const removedToken = await connect(app, removed, 'Theirs')
  await removeMember(deps, workspaceId, removed.userId)

  const revoked = await createKey(theirs, theirs.owner)
  await revokeApiKey(deps, workspaceId, revoked.id)

  const otherApp = await seedApp(service, 'public', 'Disconnected')
  const disconnected = await connect(otherApp, owner, 'Theirs')
  await disconnectApp(deps, workspaceId, theirs.owner, otherApp.clientId)

  const live = await connect(app, owner, 'Theirs', { paramOverrides: { scope: Scope.options.join(' ') } })
  tokensWithout = new Map()
  for (const scope of Scope.options) {
    const remaining = Scope.options.filter((other) => other !== scope).join(' ')
    const response = await refresh(app, live.refresh_token, { scope: remaining })
    tokensWithout.set(scope, (await parseTokens(app, response)).access_token)
  }

  const { attemptId } = await seedLiveCall(deps, theirs.user.seed)
  const theirChat = await seedChatWithToken(deps, theirs.user.seed)
  const [, sessionToken = ''] = theirs.user.browser.cookies()[0]?.split('=') ?? []
  const invalid = (key: string) => ({ key, code: 'invalid_credential' })
  endedCredentials = {
    'no credential': { key: null, code: 'missing_credential' },
    'an empty credential': { key: '', code: 'missing_credential' },
    'two words': { key: `${theirKey} ${theirKey}`, code: 'missing_credential' },
    'a made-up key': invalid(`odk_${'x'.repeat(43)}`),
    'a key in capital letters': invalid(theirKey.toUpperCase()),
    'the start of a key': invalid(theirKey.slice(0, -1)),
    'a revoked key': invalid(revoked.key),
    'the key of a removed member': invalid(removedKey.key),
    'the token of a removed member': invalid(removedToken.access_token),
    'the token of a disconnected app': invalid(disconnected.access_token),
    'an expired token': { key: expired.access_token, code: 'expired_credential' },
    'a refresh token': invalid(live.refresh_token),
    'a sign-in session': invalid(sessionToken),
    'an attempt token': invalid(createAttemptToken(deps.attemptTokenKey, attemptId)),
    'a conversation token': invalid(createConversationToken(deps.attemptTokenKey, theirChat.id)),
  }
})

/** Sends a request to a route with an API key or access token. */
function send(
  route: Route,
  { id = '', query = {}, body }: RouteInput,
  key: string | null,
  headers: Record<string, string> = {},
) {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const path = `${route.path.replace(':id', String(id))}?${search.toString()}`
  world.service.deps.clock.advance(secondMs) // otherwise, the rate limit would reject the later requests
  return createSender(world.service.app, '')({ method: route.method, path, body, key, headers })
}

const idFieldsOf = (route: Route): string[] => {
  return [
    ...(route.path.includes(':id') ? ['id'] : []),
    ...findIdFields(route.query).map((field) => `query.${field}`),
    ...findIdFields(route.body).map((field) => `body.${field}`),
  ].filter((field) => !customerFields.includes(field))
}

/** Returns the paths of a request's IDs. A test compares them with the ID fields of the schemas. */
const listIds = (input: object): string[] =>
  Object.entries(input).flatMap(([name, value]: [string, unknown]) => {
    const inside = typeof value === 'object' && value !== null ? listIds(value) : []
    return [...(/(^|_)ids?$/.test(name) ? [name] : []), ...inside.map((path) => `${name}.${path}`)]
  })

const RecordValue = z.record(z.string(), z.unknown())

/** Reads a field by its path. @throws if the input has no value there */
function readField(input: unknown, path: string): unknown {
  const value = path.split('.').reduce((object, name) => RecordValue.parse(object)[name], input)
  if (value === undefined) throw new Error(`a request has no value for ${path}`)
  return value
}

/** Returns a copy of the input with another value in one field. */
function replaceField(input: RouteInput, path: string, value: unknown): RouteInput {
  const replace = (object: unknown, [name = '', ...rest]: string[]): Record<string, unknown> => {
    const fields = RecordValue.parse(object)
    return { ...fields, [name]: rest.length === 0 ? value : replace(fields[name], rest) }
  }
  return replace(input, path.split('.'))
}

const isSuccess = (route: Route, { statusCode }: LightMyRequestResponse) =>
  Object.keys(route.responses).includes(String(statusCode))

/** Routes whose responses don't contain the name of any object. */
const namelessRoutes = ['cancelCalls', 'addToDoNotCallList', 'unsubscribeWebhook']

const mentionsTheirs = ({ body }: LightMyRequestResponse) => /theirs/i.test(body)

/** Returns the status and body of a response without the request ID, which differs. */
const describeResponse = ({ statusCode, body }: LightMyRequestResponse) =>
  `${statusCode} ${body.replace(/"request_id":"[^"]+"/, '')}`

it('this file has a request for every API route, with a value for every ID field', () => {
  expect(Object.keys(apiRequests).sort()).toEqual(routes.map(({ operationId }) => operationId).sort())
  const fieldsByRoute = (list: (route: Route) => string[]) =>
    Object.fromEntries(routes.map((route) => [route.operationId, list(route).sort()]))
  const sent = fieldsByRoute((route) => listIds(inputFor(route, ours)))
  expect(sent).toEqual(fieldsByRoute(idFieldsOf))
})

it('without a valid credential, rejects a request to any route, shows no data, and changes nothing', async () => {
  const before = await dumpRows(world.database)
  const wrong: string[] = []
  for (const route of routes) {
    for (const [name, { key, code }] of Object.entries(endedCredentials)) {
      const response = await send(route, inputFor(route, theirs), key)
      const error = parseError(response)
      if (error.status !== 401 || error.code !== code || mentionsTheirs(response))
        wrong.push(`${route.operationId} with ${name}: ${error.status} ${error.code}`)
    }
  }
  expect(wrong).toEqual([])
  expect(await dumpRows(world.database)).toEqual(before)
})

it("with a token that lacks one of a route's scopes, rejects a request to the route, shows no data, and changes nothing", async () => {
  const before = await dumpRows(world.database)
  const wrong: string[] = []
  for (const route of routes) {
    expect(route.scopes.length).toBeGreaterThan(0)
    for (const scope of route.scopes) {
      const response = await send(route, inputFor(route, theirs), tokensWithout.get(scope) ?? '')
      const error = parseError(response)
      if (error.status !== 403 || error.code !== 'insufficient_scope' || mentionsTheirs(response))
        wrong.push(`${route.operationId} without ${scope}: ${error.status} ${error.code}`)
    }
  }
  expect(wrong).toEqual([])
  expect(await dumpRows(world.database)).toEqual(before)
})

it("treats the ID of another workspace's object in any field like an ID that doesn't exist, and changes nothing", async () => {
  const before = await dumpRows(world.database)
  const wrong: string[] = []
  for (const route of routes) {
    const valid = inputFor(route, ours)
    for (const field of idFieldsOf(route)) {
      const foreign = replaceField(valid, field, readField(inputFor(route, theirs), field))
      const response = await send(route, foreign, ourKey)
      const unused = await send(route, replaceField(valid, field, unusedId), ourKey)
      const isFilter = field.startsWith('query.')
      const isExpected = isFilter
        ? response.statusCode === 200 && response.json<{ results: unknown[] }>().results.length === 0
        : [404, 422].includes(response.statusCode)
      const isSame = isFilter || describeResponse(response) === describeResponse(unused)
      if (!isExpected || !isSame || mentionsTheirs(response))
        wrong.push(`${route.operationId} ${field}: ${describeResponse(response)}`)
    }
  }
  expect(wrong).toEqual([])
  expect(await dumpRows(world.database)).toEqual(before)
})

it("a request with the IDs of its own workspace's objects neither shows nor changes another workspace's data", async () => {
  const readTheirs = async () => rowsOfWorkspace(await dumpRows(world.database), theirs.workspaceId)
  const before = await readTheirs()
  for (const route of routes) {
    const response = await send(route, inputFor(route, ours), ourKey)
    expect([route.operationId, isSuccess(route, response), mentionsTheirs(response)]).toEqual([
      route.operationId,
      true,
      false,
    ])
  }
  expect(await readTheirs()).toEqual(before)
})

// This test comes last, because it changes the other workspace. It proves that the requests are valid: if they were always
// rejected, the tests above would prove nothing.
it('accepts a request to every route with an API key of the workspace that owns the objects', async () => {
  for (const route of routes) {
    const response = await send(route, inputFor(route, theirs), theirKey)
    expect([route.operationId, isSuccess(route, response), mentionsTheirs(response)]).toEqual([
      route.operationId,
      true,
      !namelessRoutes.includes(route.operationId),
    ])
  }
})

it("if two workspaces use the same idempotency key, doesn't replay one workspace's response to the other", async () => {
  for (const route of routes.filter(({ idempotent }) => idempotent)) {
    const headers = { 'Idempotency-Key': 'the same key' }
    const first = await send(route, inputFor(route, theirs), theirKey, headers)
    const second = await send(route, inputFor(route, ours), ourKey, headers)
    expect([isSuccess(route, first), isSuccess(route, second), mentionsTheirs(second)]).toEqual([
      true,
      true,
      false,
    ])
    expect(second.headers['idempotent-replayed']).toBeUndefined()
  }
})
