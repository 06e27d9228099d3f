import type { Exchange } from './recording-proxy.ts'

const hasColors = process.stdout.isTTY && !process.env.NO_COLOR
const createStyle = (on: number, off: number) => (text: string) =>
  hasColors ? `\u001b[${on}m${text}\u001b[${off}m` : text
const bold = createStyle(1, 22)
const dim = createStyle(2, 22)
const green = createStyle(32, 39)
const cyan = createStyle(36, 39)

const width = 96
let stepCount = 0

export const printTitle = (text: string) => console.log(`\n  ${bold(text)}`)

/** Prints the heading and the explanation of a step. */
export function printStep(headline: string, explanation: string): void {
  stepCount += 1
  console.log(`\n  ${bold(cyan(String(stepCount)))}  ${bold(headline)}`)
  console.log(`     ${dim(explanation)}`)
}

export const printDone = (text: string) => {
  const [first = '', ...rest] = wrap(text, width - 7)
  console.log(`     ${green('✓')} ${first}`)
  for (const line of rest) console.log(`       ${line}`)
}

export const printCommand = (text: string) => {
  const [first = '', ...rest] = wrap(addSpaces(text), width - 7)
  console.log(`     ${dim('$')} ${first}`)
  for (const line of rest) console.log(`       ${line}`)
}

/** Prints a request and its response, shortened and without secrets. */
export function printExchange(exchange: Exchange) {
  console.log(`     ${cyan(exchange.method.padEnd(6))} ${exchange.path}  ${dim(String(exchange.status))}`)
  for (const [arrow, body] of [
    ['→', exchange.sent],
    ['←', exchange.received],
  ] as const) {
    const lines = body === undefined ? [] : firstLines(redact(body))
    for (const [index, line] of lines.entries()) {
      console.log(`            ${dim(`${index === 0 ? arrow : ' '} ${line}`)}`)
    }
  }
}

/** Prints a table of names and values. Long values wrap within their column. */
export function printTable(rows: [name: string, value: string][]): void {
  const column = Math.max(...rows.map(([name]) => name.length))
  for (const [name, value] of rows) {
    const [first = '', ...rest] = wrap(value, width - column - 7)
    console.log(`     ${dim(name.padEnd(column))}  ${first}`)
    for (const line of rest) console.log(`     ${' '.repeat(column)}  ${line}`)
  }
}

const secretKeys = /token$|secret|verifier|signature|password/

/** Hides the secrets in a value, and shortens long text. */
function redact(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    const isSecret = secretKeys.test(key) || (key === 'code' && !value.includes('_'))
    return isSecret ? '•••' : truncate(value, 60)
  }
  if (Array.isArray(value)) return value.map((item) => redact(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redact(item, name)]))
}

/** Returns the first two lines of a value as JSON. */
function firstLines(value: unknown): string[] {
  const [first = '', second, third] = wrap(addSpaces(JSON.stringify(value)), width - 14)
  if (second === undefined) return [first]
  return [first, third === undefined ? second : `${second} …`]
}

const addSpaces = (json: string) => json.replaceAll(',"', ', "')

const truncate = (text: string, length: number) =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`

function wrap(text: string, length: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = ['']
    for (const word of paragraph.split(' ')) {
      const last = lines.at(-1) ?? ''
      if (last !== '' && last.length + word.length >= length) lines.push(word)
      else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
    }
    return lines
  })
}
