import type { Config } from '../../../config.ts'
import { fillSecrets, type ToolSecrets } from '../../custom/tool-secrets.ts'
import type { RemoteAddress } from '../../custom/connect-remote.ts'
import type { RemoteSettings } from '../../custom/tool-settings.ts'

/** Puts the secrets into what settings say of a server. */
export const toRemoteAddress = (
  config: Pick<Config, 'allowLoopbackWebhooks'>,
  { url, transport, headers }: Omit<RemoteSettings, 'tools'>,
  secrets: ToolSecrets,
): RemoteAddress => ({
  url: new URL(fillSecrets(url, secrets, encodeURIComponent)),
  transport,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, fillSecrets(value, secrets)]),
  ),
  allowLoopback: config.allowLoopbackWebhooks,
})
