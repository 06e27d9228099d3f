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
  /** Returns the value. Undefined for a name that has a value in every call. */
  read?: (contact: GreetingContact) => string | null | undefined
  /** The text that the agent runtime says if there's no value and no fallback. */
  otherwise?: string
}

/** Names that every greeting can use in addition to the agent's variables. A variable with such a name isn't said. */
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

/**
 * Matches braces, and the text between them. The text is malformed if it has too few, too many, or none on one side.
 */
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
 * Replaces each placeholder of a text. Replacements aren't read again.
 *
 * @param replaceMalformed by default, what's malformed stays as it is
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

/** Returns what the agent says for a name of a contact. Blank if there's nothing. */
export function valueOf(name: string, contact: GreetingContact): string {
  const builtIn = builtIns.get(name)
  if (builtIn !== undefined) return builtIn.read?.(contact)?.trim() ?? ''
  return getOwn(contact.variables, name)?.trim() ?? ''
}

/** Returns true for a name that every call has a value for. */
const isOfCall = (name: string): boolean => builtIns.has(name) && builtIns.get(name)?.read === undefined

/**
 * Replaces {{name|fallback}}: by the fallback for a contact without the value, and otherwise by {{name}}. So agent runtimes
 * get plain placeholders only. Values stay out of the text, because one that contains braces would be read as a placeholder.
 */
export const resolveFallbacks = (greeting: string, contact: GreetingContact): string =>
  replacePlaceholders(greeting, ({ text, name, fallback }) => {
    if (fallback === undefined) return text
    return isOfCall(name) || valueOf(name, contact) !== '' ? `{{${name}}}` : fallback
  })

/**
 * Returns the names in a greeting that a contact must have a value for, because nothing is said instead. None for a blank
 * greeting, for which the agent runtime has its own sentence.
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

/** Returns the names in a greeting that it has no value for with this contact. */
export const findMissingNames = (greeting: string, contact: GreetingContact): string[] =>
  findNeededNames(greeting).filter((name) => valueOf(name, contact) === '')

/**
 * The names that a greeting uses, each once and in order of first use, and the texts that aren't valid placeholders.
 */
export interface GreetingNames {
  names: { name: string; fallback: string | null; meaning: string | null }[]
  /** Texts in braces that name nothing. */
  malformed: string[]
  /** Placeholders with a “|” and nothing after it. */
  blankFallbacks: string[]
}

/** Lists what a greeting uses. `meaning` is null for a name that isn't built in and isn't one of the variables. */
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

/** Returns "a, b, and c", with only the first few of many. */
export function listNames(names: readonly string[]): string {
  const more = names.length - maxListed
  return andList.format([...names.slice(0, maxListed), ...(more > 0 ? [`${more} more`] : [])])
}

/**
 * Says what's wrong with the placeholders of a text, and what to do. Null if nothing is: each is well formed, and its name is
 * built in or one of the agent's variables, or it has a fallback.
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

/** Says which values a greeting has no value for. Null if it has all of them. */
export const describeMissing = (names: readonly string[], had: 'had' | 'has'): string | null =>
  names.length === 0 ? null : `The greeting ${had} no value for ${listNames(names)}.`

/** How much of a text in braces is quoted. */
const maxQuoted = 40

function shorten(text: string): string {
  const start = text.slice(0, maxQuoted).toWellFormed().replace(/\s+/g, ' ').trim()
  return text.trimEnd().length > maxQuoted ? `${start}…` : start
}
