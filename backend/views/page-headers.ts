/**
 * Headers of every page: nothing foreign runs in it, nobody frames it, nothing keeps it.
 * `formTargets` are the places besides this one that a form may lead to, redirects included: Chromium
 * holds `form-action` against the whole chain, and stops a consent silently at a place that is not named.
 * `scripts`: whether the service's own scripts run in it. Inline ones never do.
 */
export function pageHeaders({ formTargets = [], scripts = false }: PageSources = {}): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ...(scripts ? ["script-src 'self'", "connect-src 'self'"] : []),
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

interface PageSources {
  formTargets?: string[]
  scripts?: boolean
}

/** A redirect URI as a source of `form-action`. The grammar has no IPv6 hosts: there its scheme must do. */
export function formTarget(redirectUri: string): string {
  const url = new URL(redirectUri)
  return url.hostname.startsWith('[') ? url.protocol : url.origin
}
