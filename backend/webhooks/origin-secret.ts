import { createHmac } from 'node:crypto'
import { toSigningKey } from '../platform/outbound/sign-webhook.ts'

/**
 * Derives the signing secret of a callback URL's origin from the workspace's secret. Because each origin has a separate
 * secret, its receivers can't pass signed events on to another origin as if Outdial had sent them.
 */
export function toOriginSecret(workspaceSecret: string, url: string): string {
  const { origin } = new URL(url)
  return `whsec_${createHmac('sha256', toSigningKey(workspaceSecret)).update(origin).digest('base64')}`
}
