import { expect, it } from '@jest/globals'
import { createApp } from '../../app.ts'
import { parseConfig } from '../../config.ts'
import { useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const getSecurityTxt = async (contact: string | undefined) => {
  const config = parseConfig({
    SECRET_KEY: 'x'.repeat(32),
    PUBLIC_URL: 'https://calls.example.com',
    SECURITY_CONTACT: contact,
  })
  const app = await createApp({ ...api.deps, config })
  const response = await app.inject({ url: '/.well-known/security.txt' })
  await app.close()
  return response
}

it.each([
  ['security@example.com', 'mailto:security@example.com'],
  ['https://example.com/report', 'https://example.com/report'],
])('names the contact %s in security.txt', async (contact, url) => {
  const response = await getSecurityTxt(contact)
  expect(response.headers['content-type']).toBe('text/plain; charset=utf-8')
  const lines = response.body.split('\n')
  expect(lines).toContain(`Contact: ${url}`)
  expect(lines).toContain('Canonical: https://calls.example.com/.well-known/security.txt')
  const [, expires = ''] = /^Expires: (.*)$/m.exec(response.body) ?? []
  const validMs = Date.parse(expires) - api.deps.clock.now().getTime()
  expect(validMs).toBeGreaterThan(178 * 86_400_000)
  expect(validMs).toBeLessThan(365 * 86_400_000)
})

it('returns 404 for security.txt if no contact is set', async () => {
  expect((await getSecurityTxt(undefined)).statusCode).toBe(404)
})

it('rejects an http URL as SECURITY_CONTACT', () => {
  expect(() => parseConfig({ SECURITY_CONTACT: 'http://example.com' })).toThrow('SECURITY_CONTACT')
})
