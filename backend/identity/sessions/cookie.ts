import type { Config } from '../../config.ts'

export interface SessionCookie {
  name: string
  options: { path: '/'; httpOnly: true; sameSite: 'lax'; secure: boolean }
}

/**
 * The cookie that carries a session. `__Host-` keeps a sibling subdomain from planting one of its own
 * (draft-ietf-httpbis-rfc6265bis, section 4.1.3.2); browsers take it over https only.
 */
export const sessionCookie = (config: Pick<Config, 'publicUrl'>): SessionCookie => {
  const secure = config.publicUrl.startsWith('https:')
  return {
    name: secure ? '__Host-outdial_session' : 'outdial_session',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  }
}
