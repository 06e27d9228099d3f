import { getOwn } from '../../platform/core/records.ts'

// Greetings are text with placeholders, such as {{first_name}}, {{ name }}, and {{day|soon}}. Everything that lists,
// checks, or fills placeholders uses this file.

/** The parts of a contact that a greeting can say. */
export interface GreetingContact {
  first_name: string | null
  last_name: string | null
  variables: Readonly<Record<string, string>>
}

interface BuiltIn {
  /** A description of the text that the agent says in place of the name. */
  meaning: string
  /** Returns the contact's value. Names that have a value in every call don't have this function. */
  read?: (contact: GreetingContact) => string | null | undefined
  /** The text to say if there's no value and no fallback. */
  otherwise?: string
}

/** Names that every greeting can use in addition to the agent's variables. A variable with one of these names is ignored. */
export const builtIns: ReadonlyMap<string, BuiltIn> = new Map<string, BuiltIn>([
  ['first_name', { meaning: "the contact's first name", read: (contact) => contact.first_name }],
  ['last_name', { meaning: "the contact's last name", read: (contact) => contact.last_name }],
  [
    'name',
    {
      meaning: 'the first name, or else the last name',
      read: (contact) => contact.first_name?.trim() || contact.last_name,
    },
  ],
  ['agent', { meaning: "the agent's name" }],
  ['campaign', { meaning: "the campaign's name" }],
  [
    'topic',
    {
      meaning: "the contact's product or topic, or else “your request”",
      read: ({ variables }) => variables['product']?.trim() || variables['topic'],
      otherwise: 'your request',
    },
  ],
])

export const defaultGreeting = 'Hello {{name}}, this is {{agent}} about {{topic}}.'

/** A part of a text that is, or was meant as, a placeholder. */
type Part =
  | { text: string; isMalformed: true; hasBlankFallback: boolean }
  | { text: string; isMalformed: false; name: string; fallback?: string }

/** Matches braces and the text between them, even if there are too few or too many braces, or none on one side. */
const braces = /\{+[^{}]*\}*|\}+/g
const placeholder = /^\{\{\s*(\w{1,64})\s*(?:\|([^|]*))?\}\}$/

function toPart(text: string): Part {
  const [, name, fallback] = placeholder.exec(text) ?? []
  if (name === undefined) return { text, isMalformed: true, hasBlankFallback: false }
  if (fallback === undefined) return { text, isMalformed: false, name }
  return fallback.trim() === ''
    ? { text, isMalformed: true, hasBlankFallback: true }
    : { text, isMalformed: false, name, fallback: fallback.trim() }
}

const findParts = (text: string): Part[] => [...text.matchAll(braces)].map(([part]) => toPart(part))

/**
 * Replaces each placeholder of a text. A placeholder inside a replacement isn't replaced.
 *
 * @param replaceMalformed by default, malformed placeholders stay as they are
 */
export const replacePlaceholders = (
  text: string,
  replace: (placeholder: { text: string; name: string; fallback?: string }) => string,
  replaceMalformed: (malformed: string) => string = (malformed) => malformed,
): string =>
  text.replace(braces, (part) => {
    const parsed = toPart(part)
    return parsed.isMalformed ? replaceMalformed(part) : replace(parsed)
  })

/** Returns a contact's value for the name in a placeholder. Returns blank text if the contact has no value. */
export function valueOf(name: string, contact: GreetingContact): string {
  const builtIn = builtIns.get(name)
  if (builtIn !== undefined) return builtIn.read?.(contact)?.trim() ?? ''
  return getOwn(contact.variables, name)?.trim() ?? ''
}

/** Returns true for a name that every call has a value for. */
const isOfCall = (name: string): boolean => builtIns.has(name) && builtIns.get(name)?.read === undefined

/**
 * Replaces {{name|fallback}} with the fallback if the contact has no value for the name, and otherwise with {{name}}. So agent
 * runtimes get only plain placeholders. Values aren't inserted here, because braces in a value would be read as a placeholder.
 */
export const resolveFallbacks = (greeting: string, contact: GreetingContact): string =>
  replacePlaceholders(greeting, ({ text, name, fallback }) => {
    if (fallback === undefined) return text
    return isOfCall(name) || valueOf(name, contact) !== '' ? `{{${name}}}` : fallback
  })

/**
 * Returns the names in a greeting that a contact must have a value for. The other names have a fallback, a default, or a value
 * in every call. A blank greeting needs no values: the agent runtime says its own sentence instead.
 */
export const findNeededNames = (greeting: string): string[] => {
  const names = findParts(greeting).flatMap((part) =>
    part.isMalformed || part.fallback !== undefined ? [] : [part.name],
  )
  return [...new Set(names)].filter((name) => {
    const builtIn = builtIns.get(name)
    return builtIn === undefined || (builtIn.read !== undefined && builtIn.otherwise === undefined)
  })
}

/** Returns the names in a greeting that need a value but have none for this contact. */
export const findMissingNames = (greeting: string, contact: GreetingContact): string[] =>
  findNeededNames(greeting).filter((name) => valueOf(name, contact) === '')

/**
 * The names that a greeting uses, each once and in order of first use, and the texts that aren't valid placeholders.
 */
export interface GreetingNames {
  names: { name: string; fallback: string | null; meaning: string | null }[]
  /** Texts in braces that aren't placeholders, for example because a brace is missing. */
  malformed: string[]
  /** Placeholders with a “|” and nothing after it. */
  blankFallbacks: string[]
}

/** Lists the placeholders of a greeting. `meaning` is null for a name that isn't built in and isn't one of the variables. */
export function listGreetingNames(greeting: string, variables: readonly string[]): GreetingNames {
  const parts = findParts(greeting)
  const named = parts.flatMap((part) => (part.isMalformed ? [] : [part]))
  const listMalformed = (isBlank: boolean) => [
    ...new Set(
      parts.flatMap((part) =>
        part.isMalformed && part.hasBlankFallback === isBlank ? [shorten(part.text)] : [],
      ),
    ),
  ]
  const byName = new Map(named.toReversed().map((part) => [part.name, part]))
  return {
    names: [...new Set(named.map(({ name }) => name))].map((name) => ({
      name,
      fallback: byName.get(name)?.fallback ?? null,
      meaning:
        builtIns.get(name)?.meaning ??
        (variables.includes(name) ? "the contact's value for this variable" : null),
    })),
    malformed: listMalformed(false),
    blankFallbacks: listMalformed(true),
  }
}

const maxListed = 5
const andList = new Intl.ListFormat('en-US', { type: 'conjunction' })

/** Returns "a, b, and c". Of many names, lists only the first few, and says how many more there are. */
export function listNames(names: readonly string[]): string {
  const more = names.length - maxListed
  return andList.format([...names.slice(0, maxListed), ...(more > 0 ? [`${more} more`] : [])])
}

/**
 * Says what's wrong with the placeholders of a text, and what to do. Returns null if every placeholder is well formed and has a
 * fallback or a known name. Known names are the built-in ones and the agent's variables.
 */
export function describePlaceholderIssues(greeting: string, variables: readonly string[]): string | null {
  const { names, malformed, blankFallbacks } = listGreetingNames(greeting, variables)
  const undeclared = names.flatMap(({ name, meaning, fallback }) =>
    meaning === null && fallback === null ? [name] : [],
  )
  const sentences = [
    ...(malformed.length === 0
      ? []
      : [
          `${listNames(malformed.map((text) => `“${text}”`))} ${malformed.length === 1 ? "isn't a placeholder" : "aren't placeholders"}.`,
          'Write a name in two braces on each side, for example {{first_name}} or {{first_name|there}}.',
        ]),
    ...(blankFallbacks.length === 0
      ? []
      : [
          `The fallback of ${listNames(blankFallbacks.map((text) => `“${text}”`))} is blank.`,
          'After the “|”, write what the agent says instead, or remove the “|”.',
        ]),
    ...(undeclared.length === 0
      ? []
      : [
          `${listNames(undeclared.map((name) => `{{${name}}}`))} ${undeclared.length === 1 ? "isn't" : "aren't"} listed under Variables.`,
          `Add ${listNames(undeclared)} to Variables, or correct the ${undeclared.length === 1 ? 'name' : 'names'}.`,
        ]),
  ]
  return sentences.length === 0 ? null : sentences.join(' ')
}

/** Says which names in a greeting have no value. Returns null if `names` is empty. */
export const describeMissing = (names: readonly string[], had: 'had' | 'has'): string | null =>
  names.length === 0 ? null : `The greeting ${had} no value for ${listNames(names)}.`

/** The maximum number of characters that a message quotes of a text in braces. */
const maxQuoted = 40

function shorten(text: string): string {
  const start = text.slice(0, maxQuoted).toWellFormed().replace(/\s+/g, ' ').trim()
  return text.trimEnd().length > maxQuoted ? `${start}…` : start
}
