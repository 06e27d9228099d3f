import type { Deps } from '../../deps.ts'
import { noInput, pageRoute } from '../page/page-route.ts'
import { template } from '../view.ts'

interface ConnectData {
  /** Whether Zapier, which is elsewhere, cannot reach this service. */
  isLocal: boolean
  addresses: { id: string; label: string; value: string }[]
  apiUrl: string
}

const connectView = template<ConnectData>('dashboard/integrations/connect-zapier-page')
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** What somebody does who builds the first Zap, and the addresses for who sets up something else. */
export const connectZapierPage = ({ config: { publicUrl } }: Deps) => {
  const apiUrl = `${publicUrl}/api/public/v1`
  const addresses = [
    { id: 'api-url', label: 'API', value: apiUrl },
    { id: 'openapi-url', label: 'OpenAPI document', value: `${apiUrl}/openapi.json` },
    { id: 'docs-url', label: 'API reference', value: `${publicUrl}/docs` },
    { id: 'authorize-url', label: 'OAuth2 authorization', value: `${publicUrl}/oauth/authorize` },
    { id: 'token-url', label: 'OAuth2 tokens', value: `${publicUrl}/oauth/token` },
    { id: 'revoke-url', label: 'OAuth2 revocation', value: `${publicUrl}/oauth/revoke` },
  ]
  const isLocal = loopbackHosts.has(new URL(publicUrl).hostname)
  return pageRoute({
    path: '/integrations',
    query: noInput,
    show: async () => connectView('Connect Zapier', { isLocal, addresses, apiUrl }),
  })
}
