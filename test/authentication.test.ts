import { expect, it } from '@jest/globals'
import app from '../index.ts'
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
      'agents:read campaigns:read campaigns:write phone_numbers:read contacts:write calls:read calls:write webhooks:write',
  })
})

it("exchanges the code and its verifier for tokens, and returns the workspace for the connection's label", async () => {
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

it('leaves the code verifier out of the request for tokens if there is none', async () => {
  const requests = stubResponse('POST', '/oauth/token', 200, tokens)

  await run(`${config}.getAccessToken`, {
    authData: {},
    inputData: { code: 'code-1', redirect_uri, code_verifier: '' },
  })

  expect(parseForm(requests)).not.toHaveProperty('code_verifier')
})

it('refreshes the access token without sending the expired one, and keeps the refresh token if no new one is returned', async () => {
  const { refresh_token, ...withoutRefresh } = tokens
  const requests = stubResponse('POST', '/oauth/token', 200, withoutRefresh)

  const output = await run(`${config}.refreshAccessToken`, {
    authData: { access_token: 'stale', refresh_token },
  })

  expect(parseForm(requests)).toMatchObject({ grant_type: 'refresh_token', refresh_token })
  expect(requests[0]?.headers).not.toHaveProperty('authorization')
  expect(output).toEqual(tokens)
})

it('asks the user to reconnect if the refresh token is no longer valid', async () => {
  stubResponse('POST', '/oauth/token', 400, {
    error: 'invalid_grant',
    error_description: 'grant request is invalid',
  })

  expect(await runExpectingError(`${config}.refreshAccessToken`)).toEqual({
    name: 'ExpiredAuthError',
    message: 'Outdial no longer accepts this connection. Reconnect your Outdial account.',
  })
})

it("if Outdial doesn't know the OAuth client, says that the integration is set up incorrectly", async () => {
  stubResponse('POST', '/oauth/token', 401, { error: 'invalid_client' })

  expect(await runExpectingError(`${config}.refreshAccessToken`)).toMatchObject({
    message: "Outdial's Zapier integration is set up incorrectly (invalid client). Contact Outdial support.",
  })
})

it("shows the OAuth server's reason if the account can't be connected", async () => {
  stubResponse('POST', '/oauth/token', 400, {
    error: 'invalid_request',
    error_description: 'no redirect_uri',
  })

  expect(
    await runExpectingError(`${config}.getAccessToken`, { inputData: { code: 'code-1' } }),
  ).toMatchObject({
    message: "Outdial couldn't connect your account: no redirect_uri. Try again, or contact Outdial support.",
    code: 'invalid_request',
  })
})

it('if BASE_URL is missing, the error names it', async () => {
  const before = process.env.BASE_URL
  delete process.env.BASE_URL
  try {
    expect(await runExpectingError(`${config}.authorizeUrl`)).toMatchObject({
      message:
        "Outdial's Zapier integration isn't set up. Contact Outdial support. (For the developer: set the environment variable BASE_URL to the address of the Outdial service, which begins with https://.)",
    })
  } finally {
    process.env.BASE_URL = before
  }
})

it.each([
  'http://outdial.example.com',
  'ftp://outdial.example.com',
  'http://127.0.0.1.example.com',
  'outdial',
])('rejects %s as the address of the service', async (address) => {
  process.env.BASE_URL = address
  try {
    expect(await runExpectingError(`${config}.authorizeUrl`)).toMatchObject({
      message: expect.stringContaining('which begins with https://'),
    })
  } finally {
    process.env.BASE_URL = baseUrl
  }
})

it.each(['https://outdial.example.com/', 'http://localhost:8787', 'http://127.0.0.1:8787//', 'http://[::1]'])(
  'accepts %s as the address of the service, and ignores slashes at the end',
  async (address) => {
    process.env.BASE_URL = address
    try {
      const url = await run<string>(`${config}.authorizeUrl`, { inputData: { redirect_uri } })
      expect(url).toContain(`${address.replace(/(?<!\/)\/+$/, '')}/oauth/authorize?`)
    } finally {
      process.env.BASE_URL = baseUrl
    }
  },
)

it.each(['CLIENT_ID', 'CLIENT_SECRET'])('if %s is missing, the error names it', async (name) => {
  const before = process.env[name]
  process.env[name] = ''
  try {
    expect(await runExpectingError(`${config}.refreshAccessToken`)).toMatchObject({
      message: `Outdial's Zapier integration isn't set up. Contact Outdial support. (For the developer: create an OAuth client in Outdial and set the environment variable ${name}.)`,
    })
  } finally {
    process.env[name] = before
  }
})

it('lets Zapier use PKCE and refresh expired tokens', () => {
  expect(app.authentication).toMatchObject({ oauth2Config: { enablePkce: true, autoRefresh: true } })
})

it("tests a connection with an API request, and returns the values for the connection's label", async () => {
  const requests = stubResponse('GET', apiPath('/campaigns/'), 200, {
    results: [],
    next: null,
    previous: null,
  })

  const output = await run('authentication.test', {
    authData: {
      access_token: 'token-1',
      workspace_id: '3',
      workspace_name: 'Northwind',
      user_email: 'ada@example.com',
    },
  })

  expect(requests[0]?.headers.authorization).toBe('Bearer token-1')
  expect(requests[0]?.url.search).toBe('?limit=1')
  expect(output).toEqual({
    workspace_id: '3',
    workspace_name: 'Northwind',
    user_email: 'ada@example.com',
    account: 'Northwind (ada@example.com)',
  })
})

it('sends no Authorization header if the connection has no token', async () => {
  const requests = stubResponse('GET', apiPath('/campaigns/'), 200, { results: [] })

  await run('authentication.test', { authData: {} })

  expect(requests[0]?.headers).not.toHaveProperty('authorization')
})

it('labels a connection that has no email with the name and ID of its workspace', async () => {
  stubResponse('GET', apiPath('/campaigns/'), 200, { results: [], next: null, previous: null })

  const output = await run('authentication.test', {
    authData: { access_token: 'token-1', workspace_id: '3', workspace_name: 'Northwind' },
  })

  expect(output).toMatchObject({ account: 'Northwind (workspace 3)' })
})

it('asks the user to reconnect if the connection lacks a scope that the connection test needs', async () => {
  stubResponse(
    'GET',
    apiPath('/campaigns/'),
    403,
    errorBody(
      'insufficient_scope',
      'The connection is missing a permission that the request needs: campaigns:read.',
    ),
  )

  expect(await runExpectingError('authentication.test')).toMatchObject({
    message:
      "Outdial's Zapier connection is missing a permission. Reconnect your Outdial account and allow the permission. (Request ID: req_42)",
  })
})
