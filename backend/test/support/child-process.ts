import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url))

export interface ProcessResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunningProcess {
  process: ChildProcess
  /** Resolves with all output so far once this output matches the pattern. Rejects if the process ends first. */
  waitForOutput(pattern: RegExp): Promise<string>
  result: Promise<ProcessResult>
}

/**
 * Runs a script in `scripts/` with separate environment variables.
 *
 * @param root the folder with the code; this checkout by default
 */
export function runScript(
  script: 'start' | 'admin',
  args: string[],
  environment: Record<string, string>,
  input = '',
  root = projectRoot,
): RunningProcess {
  return spawnProcess(
    process.execPath,
    [path.join(root, `scripts/${script}.mjs`), ...args],
    environment,
    input,
  )
}

/** Migrates a database, as a process of the version in `root` does when it starts. */
export async function runMigrations(url: string, root = projectRoot): Promise<void> {
  const code = `import { migrate } from ${JSON.stringify(path.join(root, 'backend/platform/db/migrate.ts'))}
    await migrate(${JSON.stringify(url)})`
  const { result } = spawnProcess(process.execPath, ['--input-type=module', '--eval', code], {})
  const { code: exitCode, stderr } = await result
  if (exitCode !== 0) throw new Error(stderr)
}

/** Runs `npm start` as npm does: in a shell, which gets the signals that are sent to npm. */
export const runUnderShell = (environment: Record<string, string>): RunningProcess =>
  spawnProcess('/bin/sh', ['-c', `"${process.execPath}" "${projectRoot}scripts/start.mjs"; exit $?`], {
    npm_lifecycle_event: 'start',
    ...environment,
  })

function spawnProcess(
  command: string,
  args: string[],
  environment: Record<string, string>,
  input = '',
): RunningProcess {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1', ...environment },
  })
  let stdout = ''
  let stderr = ''
  const result = new Promise<ProcessResult>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr })),
  )
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdin.end(input)
  const waitForOutput = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const check = () => pattern.test(stdout) && resolve(stdout)
      child.stdout.on('data', check)
      void result.then(() => reject(new Error(`the process ended: ${stdout}${stderr}`)))
      check()
    })
  return { process: child, waitForOutput, result }
}
