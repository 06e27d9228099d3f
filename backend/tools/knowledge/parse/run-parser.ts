import { spawn } from 'node:child_process'
import { text as readAll } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { FileError, type FileErrorCode, isFileErrorCode } from './file-error.ts'
import type { FileKind } from './file-kind.ts'
import { parseLimits } from './parse-limits.ts'
import { findSandbox, type Sandbox } from './sandbox.ts'

const scriptPath = fileURLToPath(new URL('./parse-process.ts', import.meta.url))

const packagePath = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))

/** The paths that the parser may read: this program's files. */
const readablePaths = ['backend/', 'node_modules/', 'package.json'].map(packagePath)

const nodeFlags = [
  // Without `--disable-sigusr1`, the parser of another file could open this process's inspector with that signal.
  ...['--permission', '--allow-worker', '--disable-warning=SecurityWarning', '--disable-sigusr1'],
  ...readablePaths.map((path) => `--allow-fs-read=${path}`),
]

/** Arguments for a Node process that fails if Node can't run in a sandbox, or can't do there what the parser needs. */
const probe = ['--eval', 'process.memoryUsage.rss(); fs.readFileSync(process.argv[1])', scriptPath]

let sandbox: Promise<Sandbox> | undefined

/**
 * Returns the sandbox of the parser's process, with the flags for Node. A compromised parser can read only this program's
 * own files. It can't write files or start programs, and it gets no secrets from the environment. If this machine allows it,
 * the parser also has no network and no Unix sockets, and can't signal other processes. Node's permission model doesn't cover
 * these, so they depend on the machine.
 */
export async function parserCommand(): Promise<Sandbox> {
  sandbox ??= findSandbox(process.execPath, readablePaths, [...nodeFlags, ...probe])
  const { command, flags, ids } = await sandbox.catch((error: unknown) => {
    sandbox = undefined // the next file tries again
    throw error
  })
  return { command, flags: [...flags, ...nodeFlags], ids }
}

/**
 * The exit codes of a parser that ran out of memory: V8 aborted it, or it killed itself. A sandbox and some platforms report
 * these codes instead of a signal.
 */
const abortedExitCodes = new Set([134, 137])

/** The JSON that the parser process writes to its standard output. */
export const ParseResult = z.union([
  z.object({ text: z.string() }),
  z.object({ error: z.custom<FileErrorCode>(isFileErrorCode) }),
])
export type ParseResult = z.infer<typeof ParseResult>

/**
 * Parses a file in a separate process, which is killed after `timeoutMs`.
 *
 * @throws {FileError}
 */
export async function runParser(
  kind: FileKind,
  bytes: Uint8Array,
  timeoutMs: number = parseLimits.timeoutMs,
): Promise<string> {
  const { command, flags, ids } = await parserCommand()
  const child = spawn(command, [...flags, scriptPath, kind], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { SystemRoot: process.env.SystemRoot },
    cwd: '/',
    windowsHide: true,
    ...ids,
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  // The process may exit before it has read the whole file.
  child.stdin.on('error', () => {})
  child.stdin.end(bytes)
  const ended = new Promise<{ code: number | null }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code }))
  })
  try {
    const [{ code }, output] = await Promise.all([ended, readAll(child.stdout)])
    if (child.killed) throw new FileError('too_slow')
    if (code === null || abortedExitCodes.has(code)) throw new FileError('too_heavy')
    if (code !== 0) throw new Error(`parser of a ${kind} file exited with code ${code}`)
    const result = ParseResult.parse(JSON.parse(output))
    if ('error' in result) throw new FileError(result.error)
    return result.text
  } finally {
    clearTimeout(timer)
  }
}
