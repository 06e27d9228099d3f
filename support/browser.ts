/** A page as a user sees it, without its layout. */
export interface Page {
  status: number
  url: string
  headers: Headers
  html: string
  /** The text without tags, with single spaces. */
  text: string
}

export interface Browser {
  /** Opens a page and follows redirects on the same origin. A redirect to another origin is returned as `externalUrl`. */
  open(url: string): Promise<{ page: Page; externalUrl: string | null }>
  /** Submits the form that contains the button, with its current values. `fields` replaces the values of fields by name. */
  press(
    page: Page,
    button: string,
    fields?: Record<string, string | string[]>,
  ): Promise<{ page: Page; externalUrl: string | null }>
  cookies(): string[]
}

interface Cookie {
  name: string
  value: string
  path: string
}

/** Creates a browser for one origin that uses `fetch`, stores cookies by path, and doesn't run scripts. */
export function createBrowser(cookies: Record<string, string> = {}): Browser {
  let jar = Object.entries(cookies).map(([name, value]): Cookie => ({ name, value, path: '/' }))

  const storeCookies = (response: Response, url: URL) => {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
      const [name, value] = splitPair(pair)
      const attributeValues = new Map(attributes.map((part) => splitPair(part.toLowerCase())))
      const path = attributes.find((part) => part.toLowerCase().startsWith('path='))?.slice(5) ?? url.pathname
      jar = jar.filter((cookie) => cookie.name !== name || cookie.path !== path)
      const expires = attributeValues.get('expires')
      const isExpired =
        attributeValues.get('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= 0)
      if (!isExpired && value !== '') jar.push({ name, value, path })
    }
  }

  const cookieHeader = (url: URL) =>
    jar
      .filter(({ path }) => path === '/' || url.pathname === path || url.pathname.startsWith(`${path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')

  const navigate = async (first: string, init: RequestInit = {}) => {
    const { origin } = new URL(first)
    let url = new URL(first)
    let request = init
    for (let hop = 0; hop < 10; hop += 1) {
      const headers = new Headers({ accept: 'text/html', cookie: cookieHeader(url) })
      for (const [name, value] of new Headers(request.headers)) headers.set(name, value)
      const response = await fetch(url, { ...request, redirect: 'manual', headers })
      storeCookies(response, url)
      const location = response.headers.get('location')
      const html = await response.text()
      const page: Page = {
        status: response.status,
        url: url.href,
        headers: response.headers,
        html,
        text: extractText(html),
      }
      if (location === null) return { page, externalUrl: null }
      const target = new URL(location, url)
      if (target.origin !== origin) return { page, externalUrl: target.href }
      url = target
      // With 307, the method and the body stay the same (RFC 9110, section 15.4.8).
      if (response.status !== 307) request = {}
    }
    throw new Error(`too many redirects from ${first}`)
  }

  return {
    open: (url) => navigate(url),
    press: (page, button, fields = {}) => {
      const form = findForm(page.html, button)
      const body = new URLSearchParams(form.fields.filter(([name]) => !(name in fields)))
      for (const [name, values] of Object.entries(fields)) {
        for (const value of [values].flat()) body.append(name, value)
      }
      return navigate(new URL(form.action, page.url).href, {
        method: 'POST',
        body,
        headers: { origin: new URL(page.url).origin },
      })
    },
    cookies: () => jar.map(({ name, value }) => `${name}=${value}`),
  }
}

interface ConsentOptions {
  startUrl: string
  email: string
  password: string
  /** The workspace to choose. */
  workspaceName: string
  browser?: Browser
}

/** Follows an app's authorization request through sign-in, if needed, and consent. Returns the app's redirect URL. */
export async function signInAndConsent(consent: ConsentOptions): Promise<string> {
  const browser = consent.browser ?? createBrowser()
  let { page } = await browser.open(consent.startUrl)
  if (page.html.includes('name="password"')) {
    const { email, password } = consent
    ;({ page } = await browser.press(page, 'Sign in', { email, password }))
  }
  const { externalUrl } = await browser.press(page, 'Allow', {
    workspace_id: findWorkspaceId(page, consent.workspaceName),
  })
  if (externalUrl === null) throw new Error('the consent form did not redirect to the app')
  return externalUrl
}

/** Returns the value of a workspace's radio button. */
export function findWorkspaceId(page: Page, name: string): string {
  const choices = [...page.html.matchAll(/name="workspace_id" value="(\d+)"[^>]*>\s*<span>([^<]*)<\/span>/g)]
  const choice = choices.find(([, , label]) => label === name)
  if (choice?.[1] === undefined) throw new Error(`no workspace ${name} on this page: ${page.text}`)
  return choice[1]
}

function findForm(html: string, button: string): { action: string; fields: [string, string][] } {
  for (const [form, formTag = ''] of html.matchAll(/<form([^>]*)>[\s\S]*?<\/form>/g)) {
    const buttons = [...form.matchAll(/<button([^>]*)>([^<]*)<\/button>/g)]
    const pressed = buttons.find(([, , label]) => label?.trim() === button)
    if (!pressed) continue
    return {
      action: getAttribute(pressed[1] ?? '', 'formaction') ?? getAttribute(formTag, 'action') ?? '',
      fields: readFields(form),
    }
  }
  throw new Error(`no button "${button}" on this page: ${extractText(html)}`)
}

/** Returns what a browser would send if the user changed nothing in the form. */
function readFields(form: string): [string, string][] {
  const fields: [string, string][] = []
  const add = (tag: string, value: string | undefined) => {
    const name = getAttribute(tag, 'name')
    if (name !== undefined) fields.push([name, value ?? ''])
  }
  const parts =
    /<input([^>]*)>|<select([^>]*)>([\s\S]*?)<\/select>|<textarea([^>]*)>\n?([\s\S]*?)<\/textarea>/g
  for (const [, input, select, options = '', textarea, text = ''] of form.matchAll(parts)) {
    if (input !== undefined) {
      const isCheckable = /type="(checkbox|radio)"/.test(input)
      if (!isCheckable || /\schecked/.test(input))
        add(input, getAttribute(input, 'value') ?? (isCheckable ? 'on' : ''))
    }
    if (select !== undefined) {
      const all = [...options.matchAll(/<option([^>]*)>/g)].map(([, tag = '']) => tag)
      const selected = all.find((tag) => /\sselected/.test(tag)) ?? all[0]
      if (selected !== undefined) add(select, getAttribute(selected, 'value'))
    }
    if (textarea !== undefined) add(textarea, unescapeHtml(text))
  }
  return fields
}

const getAttribute = (tag: string, name: string): string | undefined => {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : unescapeHtml(value)
}

const unescapeHtml = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const extractText = (html: string): string =>
  unescapeHtml(html.replace(/<head>[\s\S]*?<\/head>/, ' ').replace(/<[^<>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()

const splitPair = (pair: string): [string, string] => {
  const separator = pair.indexOf('=')
  return separator === -1 ? [pair, ''] : [pair.slice(0, separator), pair.slice(separator + 1)]
}
