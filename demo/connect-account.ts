import { signInAndConsent } from '../support/browser.ts'
import { command, done, exchange, step } from './print.ts'
import type { Stage } from './demo-context.ts'

/** Sign-in and consent through the real pages, as a person does it in a browser. */
export async function connect({ demo, connector }: Stage) {
  step(
    'Connect',
    'In Zapier: "Connect Outdial". The person signs in, picks a workspace and allows the access.',
  )
  const redirect_uri = 'http://localhost:9000'
  const asked = new URL(
    await connector.run<string>('authentication.oauth2Config.authorizeUrl', {
      authData: {},
      inputData: { redirect_uri, state: crypto.randomUUID() },
    }),
  )
  const back = await signInAndConsent({
    startUrl: new URL(`${asked.pathname}${asked.search}`, demo.base_url).href,
    email: demo.email,
    password: demo.password,
    workspaceName: 'Demo',
  })
  const code = new URL(back).searchParams.get('code')
  exchange({
    method: 'GET',
    path: '/oauth/authorize',
    status: 303,
    sent: undefined,
    received: { back_to: redirect_uri, code },
  })
  const tokens = await connector.run<Record<string, unknown>>('authentication.oauth2Config.getAccessToken', {
    authData: {},
    inputData: { code, redirect_uri },
  })
  await connector.saveAuthData(tokens)
  command('zapier-platform invoke auth label')
  const label = await connector.cli(['invoke', 'auth', 'label', '--non-interactive'])
  done(`Connected as "${label.trim()}"`)
}
