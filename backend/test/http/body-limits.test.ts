import { expect, it } from '@jest/globals'
import { maxSealedLength } from '../../dashboard/page/sealed-form.ts'
import { publicFormBytes } from '../../platform/http/http-limits.ts'
import { useApiWorld } from '../support/test-api.ts'

const secret = 'a-runtime-secret-of-the-tests-of-limits'
const api = useApiWorld({ runtimeSecrets: () => [secret] })

const [apiBytes, reportBytes] = [1024 * 1024, 4 * 1024 * 1024]
const attempt = '/api/internal/attempts/00000000-0000-4000-8000-000000000000/reports'

it.each([
  ['/api/public/v1/contacts/', apiBytes, '1 MiB'],
  [attempt, reportBytes, '4 MiB'],
  ['/oauth/token', publicFormBytes, '16 KB'],
  ['/oauth/revoke', publicFormBytes, '16 KB'],
  ['/connect/x/sign-in', publicFormBytes, '16 KB'],
  ['/sign-in', publicFormBytes + maxSealedLength, '64 KB'],
  ['/sign-up', publicFormBytes, '16 KB'],
])("rejects a body that's too large for %s, and names the limit", async (url, limit, shown) => {
  const isForm = !url.startsWith('/api/')
  const response = await api.app.inject({
    ...{ method: 'POST', url, payload: 'x'.repeat(limit + 1) },
    headers: {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      authorization: `Bearer ${url === attempt ? secret : api.key}`,
    },
  })
  expect(response.statusCode).toBe(413)
  expect(response.body).toContain(`larger than ${shown}.`)
})
