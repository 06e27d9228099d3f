import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../../examples/runtime/main.ts', import.meta.url))

export interface ExampleRuntime {
  url: string
  process: ChildProcess
  /** The lines that the runtime printed: one for each call that it accepted. */
  callLog: string[]
  stop(): Promise<void>
}

/** Starts the example runtime in `examples/runtime/` with the command in its README. */
export async function startExampleRuntime(signingKey: string, port = 0): Promise<ExampleRuntime> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
    env: { PATH: process.env.PATH, RUNTIME_SIGNING_KEY: signingKey, PORT: String(port), SECOND_MS: '20' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const callLog: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the example runtime ended')))
    createInterface(child.stdout).on('line', (line) => {
      const [, address] = /is ready at (\S+)/.exec(line) ?? []
      if (address === undefined) callLog.push(line)
      else resolve(address)
    })
  })
  return {
    url,
    process: child,
    callLog,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null && child.kill()) await once(child, 'exit')
    },
  }
}
