import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findFreePort } from '../../backend/platform/db/embedded/server-address.ts'
import { type BuiltConnector, openConnector } from '../../support/built-connector.ts'
import { commandRunBy } from '../support/documented-commands.ts'
import type { GiveConsent } from './give-consent.ts'
import type { ServiceProcess } from './service-process.ts'

/** Connects as a developer does: `invoke auth start` opens a browser, in which the user signs in and consents. */
export async function connectByCli(
  service: ServiceProcess,
  giveConsent: GiveConsent,
): Promise<BuiltConnector> {
  const { demo } = service
  const port = await findFreePort('127.0.0.1')
  const redirectUri = `http://localhost:${port}`
  const client = await service.createOauthClient(redirectUri)
  const connector = await openConnector({
    baseUrl: demo.base_url,
    clientId: client.client_id,
    clientSecret: client.client_secret,
  })
  const browser = await browserProgram()
  const options = ['--redirect-uri', redirectUri, '--local-port', String(port)]
  const command = commandRunBy(
    'test/journey/zap-to-trigger.test.ts',
    'docs/guides/connect-zapier.md',
    /^npx zapier-platform invoke auth start /,
  )
  const [, , ...words] = command.split(' ')
  const started = connector.cli([...words, ...options], browser.environment)
  try {
    const startUrl = await Promise.race([browser.opened, started.then(failWithoutBrowser)])
    const { email, password } = demo
    const status = await giveConsent({ startUrl, redirectUri, email, password, workspaceName: 'Demo' })
    if (status !== 200) throw new Error(`the CLI responded to the code with ${status}`)
    await started
  } finally {
    await browser.close()
  }
  return connector
}

const failWithoutBrowser = (printed: string): never => {
  throw new Error(`the CLI didn't open a browser:\n${printed}`)
}

/** Creates a program that the CLI opens instead of a browser, with or without a desktop. The program passes the URL on. */
async function browserProgram() {
  let opened: (url: string) => void = () => {}
  const url = new Promise<string>((resolve) => {
    opened = resolve
  })
  const server = createServer((request, response) => {
    opened(new URL(request.url ?? '/', 'http://localhost').searchParams.get('url') ?? '')
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const folder = await mkdtemp(path.join(tmpdir(), 'outdial-browser-'))
  const program = path.join(folder, 'open') // the name of the command on macOS
  const lines = [
    `#!${process.execPath}`,
    `fetch('http://127.0.0.1:${address.port}/?url=' + encodeURIComponent(process.argv[2]))`,
  ]
  await writeFile(program, lines.join('\n'))
  await chmod(program, 0o755)
  return {
    environment: {
      BROWSER: program,
      XDG_CURRENT_DESKTOP: 'X-Generic', // otherwise, a Linux desktop would open its own browser
      PATH: `${folder}:${process.env.PATH}`,
    },
    opened: url,
    close: async () => {
      server.close()
      await rm(folder, { recursive: true })
    },
  }
}
