/**
 * Headers of every page: nothing foreign runs in it, nobody frames it, nothing keeps it.
 * `formTargets` are the places besides this one that a form may lead to, redirects included: Chromium
 * holds `form-action` against the whole chain, and stops a consent silently at a place that is not named.
 */
export function pageHeaders(formTargets: string[] = []): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  }
}

/** A redirect URI as a source of `form-action`. The grammar has no IPv6 hosts: there its scheme must do. */
export function formTarget(redirectUri: string): string {
  const url = new URL(redirectUri)
  return url.hostname.startsWith('[') ? url.protocol : url.origin
}
