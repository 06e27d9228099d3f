/**
 * Returns the secret that verifies a subscription's deliveries. The connector drops it, because Zapier can't use it, so
 * this subscribes again: for the same URL and filter, the API returns the existing subscription.
 */
export async function readSigningSecret(
  baseUrl: string,
  accessToken: string,
  subscription: { target_url: string; filter: object },
): Promise<string> {
  const response = await fetch(`${baseUrl}/api/public/v1/webhooks/subscribe`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...subscription, event: 'call.completed' }),
  })
  const { secret } = (await response.json()) as { secret?: string }
  if (response.status !== 200 || !secret) throw new Error(`found no subscription: status ${response.status}`)
  return secret
}
