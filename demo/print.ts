import type { Exchange } from './recording-proxy.ts'

const styled = process.stdout.isTTY && !process.env.NO_COLOR
const style = (on: number, off: number) => (text: string) =>
  styled ? `\u001b[${on}m${text}\u001b[${off}m` : text
const bold = style(1, 22)
const dim = style(2, 22)
const green = style(32, 39)
const cyan = style(36, 39)

const width = 96
let steps = 0

export const title = (text: string) => console.log(`\n  ${bold(text)}`)

/** One step of the story: what happens in Zapier, in a person's words. */
export function step(headline: string, explanation: string): void {
  steps += 1
  console.log(`\n  ${bold(cyan(String(steps)))}  ${bold(headline)}`)
  console.log(`     ${dim(explanation)}`)
}

export const done = (text: string) => {
  const [first = '', ...rest] = wrap(text, width - 7)
  console.log(`     ${green('✓')} ${first}`)
  for (const line of rest) console.log(`       ${line}`)
}

export const command = (text: string) => {
  const [first = '', ...rest] = wrap(spaced(text), width - 7)
  console.log(`     ${dim('$')} ${first}`)
  for (const line of rest) console.log(`       ${line}`)
}

/** One request on the wire: what went out, and what came back, shortened. */
export function exchange(wire: Exchange) {
  console.log(`     ${cyan(wire.method.padEnd(6))} ${wire.path}  ${dim(String(wire.status))}`)
  for (const [arrow, body] of [
    ['→', wire.sent],
    ['←', wire.received],
  ] as const) {
    const lines = body === undefined ? [] : chop(shortened(body))
    for (const [index, line] of lines.entries()) {
      console.log(`            ${dim(`${index === 0 ? arrow : ' '} ${line}`)}`)
    }
  }
}

/** A table of names and values; long text is folded under itself. */
export function table(rows: [name: string, value: string][]): void {
  const column = Math.max(...rows.map(([name]) => name.length))
  for (const [name, value] of rows) {
    const [first = '', ...rest] = wrap(value, width - column - 7)
    console.log(`     ${dim(name.padEnd(column))}  ${first}`)
    for (const line of rest) console.log(`     ${' '.repeat(column)}  ${line}`)
  }
}

const secret = /token$|secret|verifier|signature|password/

/** The same value without its secrets, and with the beginning of what is long. */
function shortened(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    const isSecret = secret.test(key) || (key === 'code' && !value.includes('_'))
    return isSecret ? '•••' : fold(value, 60)
  }
  if (Array.isArray(value)) return value.map((item) => shortened(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item, name)]))
}

/** Two lines of JSON tell enough. */
function chop(value: unknown): string[] {
  const [first = '', second, third] = wrap(spaced(JSON.stringify(value)), width - 14)
  if (second === undefined) return [first]
  return [first, third === undefined ? second : `${second} …`]
}

const spaced = (json: string) => json.replaceAll(',"', ', "')

const fold = (text: string, length: number) =>
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
