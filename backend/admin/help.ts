import type { Command, Option } from './command.ts'

const commandPrefix = 'npm run admin --'

export function formatCommandList(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    `Usage: ${commandPrefix} COMMAND [OPTIONS]`,
    '',
    ...lines,
    '',
    `Options of a command: ${commandPrefix} COMMAND --help. With --json it answers in JSON.`,
    'It works on the database that the service uses: that of DATABASE_URL, or the embedded one in DATA_DIR.',
  ].join('\n')
}

export function formatCommandHelp({ name, summary, options }: Command): string {
  const formatted = Object.entries(options).map(([key, option]) => ({
    spelling: formatOption(key, option),
    option,
  }))
  const width = Math.max(0, ...formatted.map(({ spelling }) => spelling.length))
  const usage = formatted.map(({ spelling, option }) => (option.required ? spelling : `[${spelling}]`))
  return [
    `Usage: ${[commandPrefix, name, ...usage].join(' ')}`,
    '',
    summary,
    ...(formatted.length > 0 ? [''] : []),
    ...formatted.map(({ spelling, option }) => `  ${spelling.padEnd(width)}  ${option.help}`),
  ].join('\n')
}

const formatOption = (key: string, { placeholder, repeated }: Option): string =>
  `--${key}${placeholder === undefined ? '' : ` ${placeholder}`}${repeated ? ' …' : ''}`
