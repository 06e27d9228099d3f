import type { Command, Option } from './command.ts'

const call = 'npm run admin --'

export function listCommands(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    `Usage: ${call} COMMAND [OPTIONS]`,
    '',
    ...lines,
    '',
    `Options of a command: ${call} COMMAND --help. With --json it answers in JSON.`,
    'It works on the database that the service uses: that of DATABASE_URL, or the embedded one in DATA_DIR.',
  ].join('\n')
}

export function describeCommand({ name, summary, options }: Command): string {
  const spelled = Object.entries(options).map(([key, option]) => ({ spelling: spell(key, option), option }))
  const width = Math.max(0, ...spelled.map(({ spelling }) => spelling.length))
  const usage = spelled.map(({ spelling, option }) => (option.required ? spelling : `[${spelling}]`))
  return [
    `Usage: ${[call, name, ...usage].join(' ')}`,
    '',
    summary,
    ...(spelled.length > 0 ? [''] : []),
    ...spelled.map(({ spelling, option }) => `  ${spelling.padEnd(width)}  ${option.help}`),
  ].join('\n')
}

const spell = (key: string, { placeholder, repeated }: Option): string =>
  `--${key}${placeholder === undefined ? '' : ` ${placeholder}`}${repeated ? ' …' : ''}`
