import {
  addressCountryNames,
  consentPattern,
  detailPattern,
  headerNames,
  leadingWords,
  optOutPattern,
  otherChannelPattern,
  phoneFillers,
  phoneWords,
  secondPhoneWords,
  statusNames,
  weakPhoneNames,
  wholePhoneNames,
} from './header-names.ts'
import {
  type ImportColumn,
  type ImportField,
  reasonHeader,
  repeatableFields,
  toVariable,
  useColumn,
} from './import-columns.ts'

/** What a header seems to say. Of the columns that could contain one field, those with the lowest `score` do. */
interface Guess {
  field: ImportField
  score: number
}

/** Longer headers are texts, not names. */
const maxHeaderLength = 200

/**
 * Guesses from the headers what each column contains. The best name gets a field, not the first one. Columns that look like
 * consent or an opt-out, and aren't certain, stay unanswered.
 */
export function guessColumns(headers: readonly string[]): ImportColumn[] {
  const names = headers.map((header) => header.trim())
  const guesses = names.map(guessField)
  const best = new Map<ImportField, number>()
  for (const guess of guesses) {
    if (guess === undefined || guess === 'unanswered') continue
    best.set(guess.field, Math.min(guess.score, best.get(guess.field) ?? Infinity))
  }
  const used = new Set<string>()
  const columns = names.map((header, index): ImportColumn => {
    const guess = guesses[index]
    if (guess === 'unanswered') return { header, field: null, variable: null, rank: 0, isUnanswered: true }
    if (header === '' || (header === reasonHeader && index === names.length - 1 && index > 0))
      return useColumn({ header }, { use: 'ignore', rank: 0 })
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

/** A weak name counts only if there's no other: an account number isn't called if there's a phone. */
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

function guessField(header: string): Guess | 'unanswered' | undefined {
  const words = toWords(header.slice(0, maxHeaderLength))
  const key = words.join('')
  const named = guessByName.get(key)
  if (named !== undefined) return named
  if (isAboutPermission(key)) {
    const isCertain = optOutPattern.test(key) && /call|phone|voice/.test(key)
    return isCertain && !detailPattern.test(key) ? { field: 'do_not_call', score: 0 } : 'unanswered'
  }
  const phoneScore = scorePhone(words)
  if (phoneScore !== undefined) return { field: 'phone_number', score: phoneScore }
  const start = words.findIndex((word) => !leadingWords.has(word))
  return start > 0 ? guessByName.get(words.slice(start).join('')) : undefined
}

const isAboutPermission = (key: string): boolean =>
  (statusNames.has(key) || optOutPattern.test(key) || consentPattern.test(key)) &&
  !otherChannelPattern.test(key)

/** Returns undefined if the header has another word, which can make it somebody else's number, or the kind of a number. */
function scorePhone(words: readonly string[]): number | undefined {
  const isPhone =
    words.some((word) => phoneWords.has(word)) &&
    words.every((word) => phoneWords.has(word) || phoneFillers.has(word) || secondPhoneWords.has(word))
  if (!isPhone) return undefined
  return words.some((word) => secondPhoneWords.has(word)) ? 1 : 0
}

/** Returns the words of a header in lower case, without accents and punctuation: “firstName” has two. */
export const toWords = (header: string): string[] =>
  header
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

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

/** Returns true for a first row with a phone number or an email address, which no column is named after. */
export const looksLikeContact = (cells: readonly string[]): boolean =>
  cells.some((cell) => {
    const text = cell.trim().slice(0, maxHeaderLength)
    return (
      /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i.test(text) ||
      (/^(?:p:|=")?[+(]?[\d\s().+-]+"?$/.test(text) && countDigits(text) >= 7)
    )
  })

const countDigits = (text: string): number => text.replace(/\D/g, '').length
