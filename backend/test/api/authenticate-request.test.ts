import { expect, it } from '@jest/globals'
import { parseError, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

it('returns 401 if a request has no credential', async () => {
  const response = await api.send({ path: '/agents/', key: null })
  expect(parseError(response)).toMatchObject({
    status: 401,
    type: 'authentication_failed',
    code: 'missing_credential',
  })
  expect(response.headers['www-authenticate']).toBe('Bearer realm="Outdial"')
})

it('treats a scheme other than Bearer as a missing credential', async () => {
  const response = await api.send({ path: '/agents/', headers: { authorization: `Basic ${api.key}` } })
  expect(parseError(response)).toMatchObject({ status: 401, code: 'missing_credential' })
})

it('rejects an unknown credential', async () => {
  const response = await api.send({ path: '/agents/', key: 'odk_unknown' })
  expect(parseError(response)).toMatchObject({ status: 401, code: 'invalid_credential' })
  expect(response.headers['www-authenticate']).toContain('error="invalid_token"')
})

it('rejects an expired credential with the error code expired_credential', async () => {
  const { key } = await api.seedOtherWorkspace()
  await api.restrictKey(key, { expiresAt: api.deps.clock.now() })
  const response = await api.send({ path: '/agents/', key })
  expect(parseError(response)).toMatchObject({ status: 401, code: 'expired_credential' })
  expect(response.headers['www-authenticate']).toContain('error="invalid_token"')
})

it('if the credential lacks a scope, rejects the request before parsing the body, and names the scope', async () => {
  const { key } = await api.seedOtherWorkspace()
  await api.restrictKey(key, { scopes: ['agents:read'] })
  const response = await api.send({ method: 'POST', path: '/campaigns/', raw: '{', key })
  expect(parseError(response)).toMatchObject({
    status: 403,
    type: 'permission_denied',
    code: 'insufficient_scope',
  })
  expect(response.headers['www-authenticate']).toContain('scope="campaigns:write"')
})

it('if a request has a callback URL, requires the same scopes as for a webhook subscription', async () => {
  const { key, seed } = await api.seedOtherWorkspace()
  await api.restrictKey(key, { scopes: ['contacts:write'] })
  const body = { phone_number: '+12025550100', campaign_id: seed.campaignId }
  const withCallback = { ...body, callback_url: 'https://example.com/hook' }
  const response = await api.send({ method: 'POST', path: '/contacts/', body: withCallback, key })
  expect(parseError(response)).toMatchObject({ status: 403, code: 'insufficient_scope' })
  expect(response.headers['www-authenticate']).toContain('scope="calls:read webhooks:write"')
  expect((await api.send({ method: 'POST', path: '/contacts/', body, key })).statusCode).toBe(201)
})
