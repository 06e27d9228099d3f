import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseEnv, promisify } from 'node:util'
import zapier from 'zapier-platform-core'

const root = path.resolve(import.meta.dirname, '..')
const cliEntry = path.join(root, 'node_modules/zapier-platform-cli/src/bin/run')
const quietEnvironment = { DISABLE_ZAPIER_ANALYTICS: '1', NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1' }
const execFileAsync = promisify(execFile)

type Handler = (event: object) => Promise<{ results: unknown }>
const { createAppHandler } = zapier as { createAppHandler?: (app: unknown) => Handler }

interface ConnectorSettings {
  baseUrl: string
  clientId: string
  clientSecret: string
}

/** The parts of a bundle that Zapier sets. `authData` defaults to the connection's. */
interface BundleParts {
  inputData?: Record<string, unknown>
  authData?: Record<string, unknown>
  targetUrl?: string
  subscribeData?: unknown
  cleanedRequest?: unknown
  outputData?: unknown
}

interface RunOptions extends BundleParts {
  /** The result of `z.generateCallbackUrl`. */
  callbackUrl?: string
}

/** The built connector in a separate folder, set up as if a developer had cloned it. */
export interface BuiltConnector {
  /** Runs the Zapier CLI and returns its output. Run one command at a time, because the CLI writes a file to the folder. */
  cli(args: string[], environment?: Record<string, string>): Promise<string>
  /** Runs `zapier-platform invoke` and returns its JSON. */
  invoke<Result>(...args: string[]): Promise<Result>
  /** Runs one method through core's handler, as Zapier does. */
  run<Result>(method: string, options?: RunOptions): Promise<Result>
  /** Returns the connection's data from the .env file that `invoke auth start` writes. */
  authData(): Promise<Record<string, string>>
  saveAuthData(authData: Record<string, unknown>): Promise<void>
  remove(): Promise<void>
}

/** Sets up the built connector in a temporary folder. Run `npm run build` first. */
export async function openConnector({
  baseUrl,
  clientId,
  clientSecret,
}: ConnectorSettings): Promise<BuiltConnector> {
  if (!createAppHandler) throw new Error('zapier-platform-core has no createAppHandler')
  const folder = await mkdtemp(path.join(tmpdir(), 'outdial-connector-'))
  const environment = { BASE_URL: baseUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
  const envFile = path.join(folder, '.env')
  const write = (values: Record<string, unknown>) =>
    writeFile(
      envFile,
      Object.entries(values)
        .map(([name, value]) => `${name}='${String(value)}'\n`)
        .join(''),
      {
        flag: 'a',
        mode: 0o600,
      },
    )
  await cp(path.join(root, 'dist'), path.join(folder, 'dist'), { recursive: true })
  // Leaves out the scripts, because `validate` would run the build, and the folder has no sources.
  const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >
  const { name, version, type, exports, dependencies } = manifest
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ name, version, private: true, type, exports, dependencies }),
  )
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  await write(environment)

  const app = (await import(path.join(folder, 'dist/index.js'))) as { default: unknown }
  const handler = createAppHandler(app.default)

  const cli = async (args: string[], extra: Record<string, string> = {}) => {
    const env = { ...process.env, ...quietEnvironment, ...extra }
    const { stdout } = await execFileAsync(process.execPath, [cliEntry, ...args], {
      cwd: folder,
      env,
      timeout: 60_000,
    })
    return stdout
  }

  const authData = async () => {
    const entries = Object.entries(parseEnv(await readFile(envFile, 'utf8')))
    const authEntries = entries.filter(([key]) => key.startsWith('authData_'))
    return Object.fromEntries(
      authEntries.map(([key, value]) => [key.slice('authData_'.length), String(value)]),
    )
  }

  return {
    cli,
    authData,
    invoke: async <Result>(...args: string[]) =>
      JSON.parse(await cli(['invoke', ...args, '--non-interactive'])) as Result,
    run: async <Result>(method: string, { callbackUrl, ...bundle }: RunOptions = {}) => {
      const { results } = await handler({
        command: 'execute',
        method,
        environment,
        calledFromCli: true,
        callback_url: callbackUrl,
        bundle: { inputData: {}, meta: { page: 0 }, authData: await authData(), ...bundle },
      })
      return results as Result
    },
    saveAuthData: (values) =>
      write(Object.fromEntries(Object.entries(values).map(([key, value]) => [`authData_${key}`, value]))),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
