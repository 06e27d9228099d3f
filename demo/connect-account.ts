import { signInAndConsent } from '../support/browser.ts'
import type { DemoContext } from './demo-context.ts'
import { printCommand, printDone, printExchange, printStep } from './print.ts'

/** Signs in and consents through the real pages, as a user does in a browser. */
export async function connectAccount({ demo, connector }: DemoContext) {
  printStep(
    'Connect Outdial',
    'In Zapier, you connect your Outdial account: sign in, choose a workspace, and allow access.',
  )
  const redirect_uri = 'http://localhost:9000'
  const authorizeUrl = new URL(
    await connector.run<string>('authentication.oauth2Config.authorizeUrl', {
      authData: {},
      inputData: { redirect_uri, state: crypto.randomUUID() },
    }),
  )
  const callbackUrl = await signInAndConsent({
    startUrl: new URL(`${authorizeUrl.pathname}${authorizeUrl.search}`, demo.base_url).href,
    email: demo.email,
    password: demo.password,
    workspaceName: 'Demo',
  })
  const code = new URL(callbackUrl).searchParams.get('code')
  printExchange({
    method: 'GET',
    path: '/oauth/authorize',
    status: 303,
    sent: undefined,
    received: { redirect_to: redirect_uri, code },
  })
  const tokens = await connector.run<Record<string, unknown>>('authentication.oauth2Config.getAccessToken', {
    authData: {},
    inputData: { code, redirect_uri },
  })
  await connector.saveAuthData(tokens)
  printCommand('zapier-platform invoke auth label')
  const label = await connector.cli(['invoke', 'auth', 'label', '--non-interactive'])
  printDone(`Connected as "${label.trim()}"`)
}
