import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { inspect } from 'node:util'
import { parseConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { openDeps } from '../open-deps.ts'
import { ApiError, ConfigError, errorCode, StartupError } from '../platform/core/errors.ts'
import { type CommandResult, UsageError } from './command.ts'
import {
  formatCommandHelp,
  formatCommandList,
  formatResult,
  parseCommandLine,
  type Program,
} from './command-line.ts'
import { adminProgram } from './commands.ts'

interface Terminal {
  environment: Record<string, string | undefined>
  stdin: Readable
  stdout: Writable
  stderr: Writable
}

/**
 * Runs a command and returns the exit code: 0 for success, 1 if the command was rejected, 2 for an invalid
 * command line.
 */
export async function main(
  args: readonly string[],
  terminal: Terminal,
  program: Program = adminProgram,
): Promise<number> {
  try {
    await runCommand(program, args, terminal)
    return 0
  } catch (error) {
    // The program that reads the output has closed the pipe, as `head` does.
    if (terminal.stdout.errored && errorCode(error) === 'EPIPE') return 0
    terminal.stderr.write(`${formatError(program, error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function runCommand(program: Program, args: readonly string[], terminal: Terminal): Promise<void> {
  const { environment, stdin, stdout, stderr } = terminal
  const { command, values, help, json } = parseCommandLine(program.commands, args)
  if (command === undefined) {
    print(stdout, formatCommandList(program))
    return
  }
  if (help) {
    print(stdout, formatCommandHelp(program, command))
    return
  }

  const run = command.prepare(values)
  const config = parseConfig(environment)
  // The log goes to standard error, because standard output is only for the result.
  const log = await createLog('warn', stderr)
  const { deps, close } = await openDeps({ config, log, purpose: 'command' })
  try {
    const result = await run(deps, stdin)
    if (result.parts === undefined) print(stdout, formatOutput(result, json))
    else await pipeline(result.parts, stdout, { end: false })
    print(stderr, result.note ?? '')
  } finally {
    await close()
  }
}

const formatOutput = (result: CommandResult, json: boolean): string =>
  json
    ? JSON.stringify(result.rows ?? result.record ?? result.report?.json ?? {}, null, 2)
    : formatResult(result)

function print(to: Writable, text: string): void {
  if (text !== '') to.write(`${text}\n`)
}

/** Returns the message of an expected error. Any other error is a bug, so its stack is returned, too. */
function formatError({ script }: Program, error: unknown): string {
  if (error instanceof UsageError) return `${error.message} For help, run ${script} -- --help.`
  const isExpected =
    error instanceof ApiError || error instanceof ConfigError || error instanceof StartupError
  return isExpected ? error.message : inspect(error)
}
