import { parseArgs } from 'node:util'
import { errorCode } from '../error-code.ts'
import { isError } from '../is-error.ts'
import { type Command, UsageError } from './command.ts'

export interface CommandLine {
  command: Command | undefined
  values: Record<string, unknown>
  help: boolean
  json: boolean
}

/** @throws {UsageError} for a command or an option that there is not */
export function parseCommandLine(commands: readonly Command[], args: readonly string[]): CommandLine {
  const command = commands.find(({ name }) => name.split(' ').every((word, at) => args[at] === word))
  const rest = command === undefined ? args : args.slice(command.name.split(' ').length)
  const help = args.length === 0 || rest.includes('--help') || rest.includes('-h') || rest[0] === 'help'
  if (help) return { command, values: {}, help, json: false }
  if (command === undefined) throw new UsageError(`There is no command "${args.join(' ')}".`)

  const { json, ...values } = readOptions(command, rest)
  return { command, values, help, json: json === true }
}

function readOptions(command: Command, args: readonly string[]): Record<string, unknown> {
  const options = Object.entries(command.options).map(
    ([name, option]) =>
      [
        name,
        { type: option.placeholder === undefined ? 'boolean' : 'string', multiple: option.repeated },
      ] as const,
  )
  try {
    return parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(options), json: { type: 'boolean' } },
      allowPositionals: false,
    }).values
  } catch (error) {
    if (!isError(error) || !errorCode(error).startsWith('ERR_PARSE_ARGS_')) throw error
    throw new UsageError(`${error.message.split(/[.;\n]/)[0]}.`)
  }
}
