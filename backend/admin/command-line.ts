import { parseArgs } from 'node:util'
import { errorCode, isError } from '../platform/core/errors.ts'
import { type Command, type CommandResult, type Option, UsageError } from './command.ts'

interface CommandLine {
  command: Command | undefined
  values: Record<string, unknown>
  help: boolean
  json: boolean
}

/** Parses a command line. Throws a UsageError for an unknown command or option. */
export function parseCommandLine(commands: readonly Command[], args: readonly string[]): CommandLine {
  const command = commands.find(({ name }) => name.split(' ').every((word, at) => args[at] === word))
  const rest = command === undefined ? args : args.slice(command.name.split(' ').length)
  const help = args.length === 0 || rest.includes('--help') || rest.includes('-h') || rest[0] === 'help'
  if (help) return { command, values: {}, help, json: false }
  if (command === undefined) throw new UsageError(`Unknown command "${firstWords(args)}".`)

  const { json, ...values } = readOptions(command, rest)
  return { command, values, help, json: json === true }
}

/** Returns the words before the first option. Omits the rest, which isn't part of the command's name and can be secret. */
function firstWords(args: readonly string[]): string {
  const firstOption = args.findIndex((word) => word.startsWith('-'))
  return args.slice(0, firstOption === -1 ? undefined : Math.max(1, firstOption)).join(' ')
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
      args: joinValues(command, args),
      options: { ...Object.fromEntries(options), json: { type: 'boolean' } },
      allowPositionals: false,
    }).values
  } catch (error) {
    if (!isError(error) || !errorCode(error).startsWith('ERR_PARSE_ARGS_')) throw error
    throw new UsageError(`${error.message.split(/[.;\n]/)[0]}.`)
  }
}

/**
 * Joins a value that begins with a hyphen, as an ID can, to its option. Otherwise, `parseArgs` would read it as another
 * option.
 */
function joinValues(command: Command, args: readonly string[]): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const option = command.options[joined.at(-1)?.replace(/^--/, '') ?? '']
    if (option?.placeholder !== undefined && /^-[^-]/.test(arg)) joined.push(`${joined.pop()}=${arg}`)
    else joined.push(arg)
  }
  return joined
}

/** The commands of one npm script. */
export interface Program {
  /** The command as users type it, such as `npm run admin`. */
  script: string
  commands: readonly Command[]
}

export function formatCommandList({ script, commands }: Program): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    `Usage: ${script} -- COMMAND [OPTIONS]`,
    '',
    ...lines,
    '',
    `To see the options of a command, run ${script} -- COMMAND --help. To get a command's result as JSON, add --json.`,
    "Commands use the service's database: the one in DATABASE_URL, or the embedded one in DATA_DIR.",
  ].join('\n')
}

export function formatCommandHelp({ script }: Program, { name, summary, options }: Command): string {
  const formatted = Object.entries(options).map(([key, option]) => ({
    spelling: formatOption(key, option),
    option,
  }))
  const width = Math.max(0, ...formatted.map(({ spelling }) => spelling.length))
  const usage = formatted.map(({ spelling, option }) => (option.required ? spelling : `[${spelling}]`))
  return [
    `Usage: ${[script, '--', name, ...usage].join(' ')}`,
    '',
    summary,
    ...(formatted.length > 0 ? [''] : []),
    ...formatted.map(({ spelling, option }) => `  ${spelling.padEnd(width)}  ${option.help}`),
  ].join('\n')
}

const formatOption = (key: string, { placeholder, repeated }: Option): string =>
  `--${key}${placeholder === undefined ? '' : ` ${placeholder}`}${repeated ? ' …' : ''}`

type Cell = Required<CommandResult>['rows'][number][string]

/** Formats a result for a terminal: a report, a table, labeled lines, or nothing if there's only a note or a file. */
export function formatResult({ rows, record, report }: CommandResult): string {
  if (report !== undefined) return report.text
  if (record !== undefined) return formatRecord(record)
  if (rows === undefined) return ''
  const [first] = rows
  return first === undefined ? 'None.' : formatTable(Object.keys(first), rows)
}

function formatRecord(record: Record<string, Cell>): string {
  const width = Math.max(...Object.keys(record).map((key) => key.length))
  return Object.entries(record)
    .map(([key, value]) => `${key.padEnd(width)}  ${formatCell(value)}`)
    .join('\n')
}

function formatTable(columns: string[], rows: Record<string, Cell>[]): string {
  const cells = [columns, ...rows.map((row) => columns.map((column) => formatCell(row[column] ?? null)))]
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function formatCell(value: Cell): string {
  if (value === null) return '-'
  if (Array.isArray(value)) return removeControlCharacters(value.join(', '))
  return value instanceof Date ? value.toISOString() : removeControlCharacters(String(value))
}

/** Removes control characters from text that users chose, because escape sequences could change what a terminal shows. */
export const removeControlCharacters = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ')
