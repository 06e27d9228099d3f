import { guessPermission } from './guess-permission.ts'
import {
  addressCountryNames,
  headerNames,
  leadingWords,
  phoneFillers,
  phoneWords,
  secondPhoneWords,
  weakPhoneNames,
  wholePhoneNames,
} from './header-names.ts'
import { toWords } from './header-words.ts'
import {
  type ImportColumn,
  type ImportField,
  repeatableFields,
  toVariable,
  useColumn,
  withoutReason,
} from './import-columns.ts'

/** The field that a header seems to name. A lower `score` means a better name: see `isChosen`. */
interface Guess {
  field: ImportField
  score: number
}

/** The maximum number of characters to read of a header. A header with a statement of consent can be longer. */
const maxHeaderLength = 500

/**
 * Guesses from the headers what each column contains. A field that only one column can contain goes to the column with the best
 * name, not to the first one. Columns that could be consent or opt-outs stay unanswered unless their meaning is certain.
 *
 * @param samples the first values of each column
 */
export function guessColumns(
  headers: readonly string[],
  samples: readonly (readonly string[])[] = [],
): ImportColumn[] {
  const names = headers.map((header) => header.trim())
  const guesses = names.map((name, index) => guessField(name, samples[index] ?? []))
  const ownCount = withoutReason(names.map((header) => ({ header }))).length
  const best = new Map<ImportField, number>()
  for (const guess of guesses) {
    if (guess === undefined || guess === 'unanswered') continue
    best.set(guess.field, Math.min(guess.score, best.get(guess.field) ?? Infinity))
  }
  const used = new Set<string>()
  const columns = names.map((header, index): ImportColumn => {
    const guess = guesses[index]
    if (guess === 'unanswered') return { header, field: null, variable: null, rank: 0, isUnanswered: true }
    if (header === '' || index === ownCount) return useColumn({ header }, { use: 'ignore', rank: 0 })
    if (guess !== undefined && isChosen(guess, best.get(guess.field) ?? 0, used)) {
      used.add(guess.field)
      return useColumn({ header }, { use: guess.field, rank: guess.score })
    }
    const variable = `=${toVariable(header)}`
    const isNew = !used.has(variable)
    used.add(variable)
    return useColumn({ header }, { use: isNew ? 'variable' : 'ignore', rank: 0 })
  })
  return rankPhones(columns)
}

/**
 * The score of a weak name, which counts only if no column has a better name. So an account number isn't called if there's a
 * phone column.
 */
const weakScore = 1_000

function isChosen({ field, score }: Guess, bestScore: number, used: ReadonlySet<string>): boolean {
  if (repeatableFields.has(field)) return score < weakScore || bestScore >= weakScore
  return score === bestScore && !used.has(field)
}

/** Numbers the phone columns from 1, in the order in which their numbers are called. */
export function rankPhones(columns: readonly ImportColumn[]): ImportColumn[] {
  const phones = columns.filter(({ field }) => field === 'phone_number').toSorted((a, b) => a.rank - b.rank)
  return columns.map((column) =>
    column.field === 'phone_number' ? { ...column, rank: phones.indexOf(column) + 1 } : column,
  )
}

function guessField(header: string, values: readonly string[]): Guess | 'unanswered' | undefined {
  const text = header.slice(0, maxHeaderLength)
  const words = toWords(text)
  const named = guessByName.get(words.join(''))
  const start = words.findIndex((word) => !leadingWords.has(word))
  const inner = start > 0 ? guessByName.get(words.slice(start).join('')) : undefined
  const known = [named, inner].find((guess) => guess !== undefined && guess.field !== 'phone_number')
  if (known !== undefined) return known
  const permission = guessPermission(words, text, values)
  if (permission === 'unclear') return 'unanswered'
  if (permission === 'do not call') return { field: 'do_not_call', score: 0 }
  const phoneScore = named?.score ?? scorePhone(words)
  if (phoneScore !== undefined) return { field: 'phone_number', score: phoneScore }
  return inner ?? guessAddressCountry(words)
}

/**
 * Scores a header that has only words for phone numbers. Returns undefined if it has any other word, because the column could
 * then contain another person's numbers, or the types of numbers.
 */
function scorePhone(words: readonly string[]): number | undefined {
  const isPhone =
    words.some((word) => phoneWords.has(word)) &&
    words.every((word) => phoneWords.has(word) || phoneFillers.has(word) || secondPhoneWords.has(word))
  if (!isPhone) return undefined
  return words.some((word) => secondPhoneWords.has(word)) ? 1 : 0
}

/** Recognizes a header for the country of one of several addresses, such as “Country (business)”. */
function guessAddressCountry(words: readonly string[]): Guess | undefined {
  const rest = words.filter((word) => !secondPhoneWords.has(word) && !phoneFillers.has(word))
  const guess = rest.length < words.length ? guessByName.get(rest.join('')) : undefined
  return guess?.field === 'country' ? { field: 'country', score: weakScore } : undefined
}

const toEntries = (field: ImportField, names: readonly string[], score: (index: number) => number) =>
  names.map((name, index): [string, Guess] => [name.replaceAll(' ', ''), { field, score: score(index) }])

const guessByName = new Map<string, Guess>([
  ...toEntries('phone_number', weakPhoneNames, () => weakScore),
  ...toEntries('phone_number', wholePhoneNames, () => 0),
  ...toEntries('country', addressCountryNames, () => weakScore),
  ...Object.entries(headerNames).flatMap(([field, names]) =>
    toEntries(field as ImportField, names, (index) =>
      repeatableFields.has(field as ImportField) ? 0 : index,
    ),
  ),
])

/** Returns true if the first row has a phone number or an email address. Such a row isn't a header. */
export const looksLikeContact = (cells: readonly string[]): boolean =>
  cells.some((cell) => isEmail(cell) || isNumber(cell))

/** Guesses the columns of a file without a header. Finds columns that contain only phone numbers, or only email addresses. */
export function guessByValues(samples: readonly (readonly string[])[]): ImportColumn[] {
  const hasOnly = (values: readonly string[], test: (value: string) => boolean) =>
    values.length > 0 && values.every(test)
  const hasMarkedNumbers = samples.some((values) => hasOnly(values, isMarkedNumber))
  const isPhone = hasMarkedNumbers ? isMarkedNumber : isNumber
  const emailIndex = samples.findIndex((values) => hasOnly(values, isEmail))
  return rankPhones(
    samples.map((values, index) => {
      const column = { header: `Column ${index + 1}` }
      if (index === emailIndex) return useColumn(column, { use: 'email', rank: 0 })
      if (hasOnly(values, isPhone)) return useColumn(column, { use: 'phone_number', rank: 1 })
      return useColumn(column, { use: 'variable', rank: 0 })
    }),
  )
}

const isEmail = (cell: string): boolean =>
  /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i.test(cell.trim().slice(0, maxHeaderLength))

function isNumber(cell: string): boolean {
  const text = cell.trim().slice(0, maxHeaderLength)
  return /^(?:p:|=")?[+(]?[\d\s().+-]+"?$/.test(text) && text.replace(/\D/g, '').length >= 7
}

/** Returns true for a number with a plus sign or parentheses. An account number has neither. */
const isMarkedNumber = (cell: string): boolean => isNumber(cell) && /[+(]/.test(cell)
