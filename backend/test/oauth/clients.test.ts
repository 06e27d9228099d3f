import { expect, it } from '@jest/globals'
import { createOauthClient } from '../../accounts/oauth/create-oauth-client.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

it.each([
  'https://zapier.com/dashboard/auth/oauth/return/App123CLIAPI/',
  'http://localhost:9000',
  'http://127.0.0.1:9000/callback',
  'http://[::1]:9000/callback',
])('accepts %s as a redirect URI', async (uri) => {
  const { clientSecret } = await createOauthClient(world.deps, {
    name: 'App',
    redirect_uris: [uri],
    confidential: true,
  })
  expect(clientSecret).not.toBeNull()
})

it.each([
  'http://example.com/callback',
  'https://example.com/callback#part',
  'https://example.com/callback#',
  'javascript:alert(1)',
  'com.example.app:/callback',
  '/callback',
  '',
])('rejects "%s" as a redirect URI', async (uri) => {
  const making = createOauthClient(world.deps, {
    name: 'App',
    redirect_uris: ['https://example.com/', uri],
    confidential: false,
  })
  await expect(making).rejects.toMatchObject({ details: [{ code: 'invalid_redirect_uri' }] })
})

it('rejects an app that lacks a redirect URI, and one that lacks a name', async () => {
  const noUri = createOauthClient(world.deps, { name: 'App', redirect_uris: [], confidential: true })
  await expect(noUri).rejects.toMatchObject({ details: [{ field: 'redirect_uris' }] })
  const noName = createOauthClient(world.deps, {
    name: ' ',
    redirect_uris: ['https://a.example/'],
    confidential: true,
  })
  await expect(noName).rejects.toMatchObject({ details: [{ field: 'name' }] })
})

it('creates no client secret for a public app', async () => {
  const client = await createOauthClient(world.deps, {
    name: 'Phone',
    redirect_uris: ['https://phone.example/callback'],
    confidential: false,
  })
  expect(client.clientSecret).toBeNull()
})
