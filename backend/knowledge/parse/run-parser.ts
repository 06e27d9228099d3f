import { spawn, spawnSync } from 'node:child_process'
import { text as readAll } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { FileError, type FileErrorCode, isFileErrorCode } from './file-error.ts'
import type { FileKind } from './file-kind.ts'
import { parseLimits } from './parse-limits.ts'

const scriptPath = fileURLToPath(new URL('./parse-process.ts', import.meta.url))

const packagePath = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

const nodeFlags = [
  ...['--permission', '--allow-worker', '--disable-warning=SecurityWarning'],
  ...['backend/', 'node_modules/', 'package.json'].map((path) => `--allow-fs-read=${packagePath(path)}`),
]

/** Runs a program in a network namespace of its own, which has no network. Needs Linux with user namespaces. */
const unshare = ['/usr/bin/unshare', '--map-root-user', '--net', '--'] as const

let isolation: readonly string[] | undefined

/**
 * Returns the command and the flags of the parser's process. A compromised parser can read only this program's own
 * files. It can't write files or start programs, and it gets no secrets from the environment. It has no network, if
 * this machine allows that: the permission model of Node 24 doesn't cover it.
 */
export function parserCommand(): { command: string; flags: string[] } {
  const [program, ...options] = unshare
  isolation ??= spawnSync(program, [...options, '/bin/true']).status === 0 ? unshare : []
  const [command = process.execPath, ...flags] = [...isolation, process.execPath, ...nodeFlags]
  return { command, flags }
}

/** Exit code if V8 runs out of memory, on platforms that don't report the signal SIGABRT. */
const abortedExitCode = 134

/** What the parser process writes to its standard output, as JSON. */
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
  const { command, flags } = parserCommand()
  const child = spawn(command, [...flags, scriptPath, kind], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { SystemRoot: process.env.SystemRoot },
    windowsHide: true,
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
    if (code === null || code === abortedExitCode) throw new FileError('too_heavy')
    if (code !== 0) throw new Error(`parser of a ${kind} file exited with code ${code}`)
    const result = ParseResult.parse(JSON.parse(output))
    if ('error' in result) throw new FileError(result.error)
    return result.text
  } finally {
    clearTimeout(timer)
  }
}
