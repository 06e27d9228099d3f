import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { DemoFile } from '../../backend/service/demo/demo-file.ts'
import { commandRunBy, withoutNpm } from '../support/documented-commands.ts'

const root = path.resolve(import.meta.dirname, '../..')

export interface ServiceProcess {
  dataDir: string
  demo: DemoFile
  /** Environment variables for commands that use the same database. */
  environment: Record<string, string | undefined>
  /** Registers an app with `npm run admin`, as a maintainer does. */
  createOauthClient(redirectUri: string): Promise<{ client_id: string; client_secret: string }>
  stop(): Promise<void>
}

/** Starts the service with the command in README.md, with an embedded database in a new folder. */
export async function startServiceProcess(): Promise<ServiceProcess> {
  const dataDir = path.join(tmpdir(), `outdial-journey-${crypto.randomUUID()}`)
  const env = {
    ...process.env,
    DATABASE_URL: '', // CI sets it, but this service uses its own embedded database
    DATA_DIR: dataDir,
    PORT: '0',
    SIMULATION_SPEED: '200',
  }
  const command = commandRunBy('test/journey/zap-to-trigger.test.ts', 'README.md', /^npm start$/)
  const started = await startByCommand(command, env)
  const stop = async () => {
    await started.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  return {
    dataDir,
    environment: env,
    demo: DemoFile.parse(JSON.parse(await readFile(path.join(dataDir, 'demo.json'), 'utf8'))),
    createOauthClient: async (redirectUri) => {
      const args = ['create-oauth-client', '--name', 'Zapier', '--redirect-uri', redirectUri, '--json']
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [path.join(root, 'scripts/admin.mjs'), ...args],
        { env },
      )
      return JSON.parse(stdout) as { client_id: string; client_secret: string }
    },
    stop,
  }
}

export interface StartedCommand {
  /** The text that the process printed before it was ready. */
  output: string
  stop(): Promise<void>
}

/** Runs a command that starts a service, and waits until the service prints that it is ready. */
export async function startByCommand(
  command: string,
  env: Record<string, string | undefined>,
  cwd = root,
): Promise<StartedCommand> {
  const child = spawn('sh', ['-c', withoutNpm(command)], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: string[] = []
  createInterface(child.stderr).on('line', (line) => output.push(line))
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      output.push(line)
      if (line.includes('is ready')) resolve()
    })
    child.once('exit', () => reject(new Error(`the service exited during startup:\n${output.join('\n')}`)))
  })
  return {
    output: output.join('\n'),
    stop: async () => {
      if (child.exitCode === null && child.kill()) await once(child, 'exit')
    },
  }
}
