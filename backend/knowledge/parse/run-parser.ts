import { spawn } from 'node:child_process'
import { text as readAll } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { FileError, type FileErrorCode, isFileErrorCode } from './file-error.ts'
import type { FileKind } from './file-kind.ts'
import { parseLimits } from './parse-limits.ts'

const scriptPath = fileURLToPath(new URL('./parse-process.ts', import.meta.url))

const packagePath = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/**
 * The flags of the parser's process. A compromised parser can read only this program's own files. It can't write files
 * or start programs, and it gets no secrets from the environment.
 */
export const parserFlags = [
  ...['--permission', '--allow-worker', '--disable-warning=SecurityWarning'],
  ...['backend/', 'node_modules/', 'package.json'].map((path) => `--allow-fs-read=${packagePath(path)}`),
]

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
  const child = spawn(process.execPath, [...parserFlags, scriptPath, kind], {
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
