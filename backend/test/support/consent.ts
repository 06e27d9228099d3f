import { type Browser, createBrowser, findWorkspaceId, type Page } from '../../../support/browser.ts'
import { password } from './factories.ts'
import { apiStatus, exchangeCode, type Flow, newFlow, parseTokens, useOAuthWorld } from './oauth.ts'

interface AuthorizationPage {
  browser: Browser
  page: Page
  flow: Flow
}

/** Gives a test file useOAuthWorld(), and functions for the steps of an authorization in the browser. */
export function useConsentWorld() {
  const world = useOAuthWorld()
  /** Starts an authorization and opens the sign-in page. */
  const openAuthorization = async (
    paramOverrides: Record<string, string | null> = {},
    browser = createBrowser(),
  ): Promise<AuthorizationPage> => {
    const flow = await newFlow(world.zapier, paramOverrides)
    const { page } = await browser.open(flow.startUrl)
    return { browser, page, flow }
  }
  /** Starts an authorization, signs in, and opens the consent page. */
  const openAuthorizationSignedIn = async (
    user = world.robin,
    paramOverrides: Record<string, string | null> = {},
  ): Promise<AuthorizationPage> => {
    const authorization = await openAuthorization(paramOverrides)
    const { page } = await authorization.browser.press(authorization.page, 'Sign in', {
      email: user.email,
      password,
    })
    return { ...authorization, page }
  }
  const allowAccess = ({ browser, page }: AuthorizationPage, name: string) =>
    browser.press(page, 'Allow', { workspace_id: findWorkspaceId(page, name) })
  /** Exchanges the code in the callback, and returns the status of an API request with the token. */
  const connected = async (externalUrl: string | null, flow: Flow): Promise<number> => {
    const tokens = await parseTokens(
      world.zapier,
      await exchangeCode(world.zapier, { ...flow, callback: new URL(externalUrl ?? '') }),
    )
    return apiStatus(world.service, tokens.access_token)
  }
  return { world, allowAccess, connected, openAuthorization, openAuthorizationSignedIn }
}
