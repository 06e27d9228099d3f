import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Running {
  process: ChildProcess
  /** Resolves with what it wrote so far when the pattern is in it; rejects when it ends before. */
  wrote(pattern: RegExp): Promise<string>
  ended: Promise<Ended>
}

/** Runs a script of `scripts/`, in an environment of the test's own. */
export function run(
  script: 'start' | 'admin',
  words: string[],
  environment: Record<string, string>,
  input = '',
): Running {
  return follow(process.execPath, [`${checkout}scripts/${script}.mjs`, ...words], environment, input)
}

/** `npm start` as npm has it run: by a shell, to which a signal to npm goes. */
export const runUnderShell = (environment: Record<string, string>): Running =>
  follow('/bin/sh', ['-c', `"${process.execPath}" "${checkout}scripts/start.mjs"; exit $?`], {
    npm_lifecycle_event: 'start',
    ...environment,
  })

function follow(command: string, words: string[], environment: Record<string, string>, input = ''): Running {
  const child = spawn(command, words, {
    env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1', ...environment },
  })
  let stdout = ''
  let stderr = ''
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr })),
  )
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdin.end(input)
  const wrote = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => pattern.test(stdout) && resolve(stdout)
      child.stdout.on('data', look)
      void ended.then(() => reject(new Error(`it ended: ${stdout}${stderr}`)))
      look()
    })
  return { process: child, wrote, ended }
}
