import { expect, it } from '@jest/globals'
import { apiPath, baseUrl, errorBody, run, runExpectingError, stubResponse } from './support/connector.ts'

const config = 'authentication.oauth2Config'
const tokens = {
  access_token: 'token-2',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'refresh-2',
  scope: 'agents:read',
  workspace_id: 3,
  workspace_name: 'Northwind',
}
const redirect_uri = 'https://zapier.com/dashboard/auth/oauth/return/App1CLIAPI/'

const parseForm = (requests: { text: string }[]) => Object.fromEntries(new URLSearchParams(requests[0]?.text))

it('sends the user to the consent page with every scope that the connector needs', async () => {
  const url = new URL(
    await run<string>(`${config}.authorizeUrl`, { inputData: { redirect_uri, state: 'state & more' } }),
  )

  expect(url.origin + url.pathname).toBe(`${baseUrl}/oauth/authorize`)
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    client_id: 'client-1',
    redirect_uri,
    state: 'state & more',
    scope:
      'agents:read campaigns:read campaigns:write phone_numbers:read contacts:write calls:read webhooks:write',
  })
})

it('exchanges the code with its verifier, and keeps the workspace for the label', async () => {
  const requests = stubResponse('POST', '/oauth/token', 200, tokens)

  const output = await run(`${config}.getAccessToken`, {
    authData: {},
    inputData: { code: 'code-1', redirect_uri, code_verifier: 'verifier-1' },
  })

  expect(parseForm(requests)).toEqual({
    grant_type: 'authorization_code',
    code: 'code-1',
    redirect_uri,
    client_id: 'client-1',
    client_secret: 'secret-of-client-1',
    code_verifier: 'verifier-1',
  })
  expect(output).toEqual(tokens)
})

it('sends no verifier where there is none', async () => {
  const requests = stubResponse('POST', '/oauth/token', 200, tokens)

  await run(`${config}.getAccessToken`, {
    authData: {},
    inputData: { code: 'code-1', redirect_uri, code_verifier: '' },
  })

  expect(parseForm(requests)).not.toHaveProperty('code_verifier')
})

it('refreshes without the stale token in a header, and keeps the refresh token where none comes back', async () => {
  const { refresh_token, ...withoutRefresh } = tokens
  const requests = stubResponse('POST', '/oauth/token', 200, withoutRefresh)

  const output = await run(`${config}.refreshAccessToken`, {
    authData: { access_token: 'stale', refresh_token },
  })

  expect(parseForm(requests)).toMatchObject({ grant_type: 'refresh_token', refresh_token })
  expect(requests[0]?.headers).not.toHaveProperty('authorization')
  expect(output).toEqual(tokens)
})

it('asks to reconnect where the refresh token is dead', async () => {
  stubResponse('POST', '/oauth/token', 400, {
    error: 'invalid_grant',
    error_description: 'grant request is invalid',
  })

  expect(await runExpectingError(`${config}.refreshAccessToken`)).toEqual({
    name: 'ExpiredAuthError',
    message: 'Outdial no longer accepts this connection. Reconnect your Outdial account.',
  })
})

it('tells the maintainer which settings the service does not know', async () => {
  stubResponse('POST', '/oauth/token', 401, { error: 'invalid_client' })

  expect(await runExpectingError(`${config}.refreshAccessToken`)).toMatchObject({
    message: "Outdial's Zapier integration is set up incorrectly (invalid client). Contact Outdial support.",
  })
})

it('passes on why a connection could not be made', async () => {
  stubResponse('POST', '/oauth/token', 400, {
    error: 'invalid_request',
    error_description: 'no redirect_uri',
  })

  expect(
    await runExpectingError(`${config}.getAccessToken`, { inputData: { code: 'code-1' } }),
  ).toMatchObject({
    message: 'Outdial could not connect your account: no redirect_uri.',
    code: 'invalid_request',
  })
})

it('says which setting is missing', async () => {
  const before = process.env.BASE_URL
  delete process.env.BASE_URL
  try {
    expect(await runExpectingError(`${config}.authorizeUrl`)).toMatchObject({
      message:
        "Outdial's Zapier integration isn't set up: set BASE_URL to the address of your Outdial service.",
    })
  } finally {
    process.env.BASE_URL = before
  }
})

it('tests a connection with a call of the API, and answers what the label is made of', async () => {
  const requests = stubResponse('GET', apiPath('/campaigns/'), 200, {
    results: [],
    next: null,
    previous: null,
  })

  const output = await run('authentication.test', {
    authData: { access_token: 'token-1', workspace_id: '3', workspace_name: 'Northwind' },
  })

  expect(requests[0]?.headers.authorization).toBe('Bearer token-1')
  expect(output).toEqual({ workspace_id: '3', workspace_name: 'Northwind' })
})

it('fails the test of a connection that lacks a scope, with the sentence of the API', async () => {
  stubResponse(
    'GET',
    apiPath('/campaigns/'),
    403,
    errorBody('insufficient_scope', 'This connection may not list campaigns.'),
  )

  expect(await runExpectingError('authentication.test')).toMatchObject({
    message: 'This connection may not list campaigns. (Request ID: req_42)',
  })
})
