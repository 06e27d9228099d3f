import { pipeline } from 'node:stream/promises'
import pino from 'pino'
import { ConfigError, parseConfig } from '../config.ts'
import { ApiError } from '../errors.ts'
import { openDeps } from '../open-deps.ts'
import { StartError } from '../start-error.ts'
import { type Result, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { describeCommand, listCommands } from './help.ts'
import { parseLine } from './parse.ts'
import { printResult } from './print.ts'

/** Ends with 0 when it is done, 1 when it was refused, 2 when the command line makes no sense. */
export async function main(words: readonly string[]): Promise<void> {
  try {
    await act(words)
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : 1
    console.error(tell(error))
  }
}

async function act(words: readonly string[]): Promise<void> {
  const { command, values, help, json } = parseLine(commands, words)
  if (command === undefined) return console.log(listCommands(commands))
  if (help) return console.log(describeCommand(command))

  const run = command.prepare(values)
  const config = parseConfig(process.env)
  // Standard output is for the answer alone.
  const log = pino({ level: 'warn' }, pino.destination(2))
  const { deps, close } = await openDeps({ config, log, purpose: 'command' })
  try {
    const result = await run(deps, process.stdin)
    if (result.parts === undefined) printAnswer(result, json)
    else await pipeline(result.parts, process.stdout, { end: false })
    if (result.note !== undefined) console.error(result.note)
  } finally {
    await close()
  }
}

function printAnswer(result: Result, json: boolean): void {
  const answer = json ? JSON.stringify(result.rows ?? result.record ?? {}, null, 2) : printResult(result)
  if (answer !== '') console.log(answer)
}

/** A refusal is told in its sentence; a bug with its stack. */
function tell(error: unknown): unknown {
  if (error instanceof UsageError) return `${error.message} See npm run admin -- --help.`
  const told = error instanceof ApiError || error instanceof ConfigError || error instanceof StartError
  return told ? error.message : error
}
