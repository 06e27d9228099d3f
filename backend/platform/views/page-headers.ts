/**
 * Returns the headers of a page: no third-party content, no framing, no caching.
 *
 * `formTargets` are other origins that a form may lead to, including through redirects. Chromium checks `form-action`
 * for every redirect, and silently blocks a consent form if an origin isn't listed. `scripts` allows the service's own
 * scripts. Inline scripts are never allowed.
 */
export function pageHeaders({ formTargets = [], scripts = false }: PageOptions = {}): Record<string, string> {
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
    // A page's path can contain the token of a link. No request may send the path in its Referer header, from where it
    // could reach logs, not even a request for the page's own assets. `no-referrer` would also remove the Origin of
    // submitted forms.
    'referrer-policy': 'strict-origin',
    'cache-control': 'no-store',
  }
}

interface PageOptions {
  formTargets?: string[]
  scripts?: boolean
}

/** Converts a redirect URI to a `form-action` source. Uses only the scheme for an IPv6 host, which CSP doesn't support. */
export function formTarget(redirectUri: string): string {
  const url = new URL(redirectUri)
  return url.hostname.startsWith('[') ? url.protocol : url.origin
}
