import type { Bundle, PlainInputField, ZObject } from 'zapier-platform-core'
import { readConsentKind } from '../reading/consent-kind.ts'
import { readCountry } from '../reading/country.ts'
import { readDateTime, toMoment } from '../reading/date-time.ts'
import { isAmericanTimeZone, readTimeZone } from '../reading/time-zone.ts'
import { readYesNo } from '../reading/yes-no.ts'
import { withoutBlanks } from './blanks.ts'
import { invalidInput, isLeadField, mistake } from './errors.ts'
import { findIdByExactName, findIdByName, type NamedList } from './lists.ts'
import { isObject, toText } from './values.ts'

/** Labels of choices, by the API's value. */
type Choices = Readonly<Record<string, string>>

/** Choices of a Yes/No field. In a boolean field, Zapier would convert any other text, such as "n/a", to true. */
export const yesOrNo = { yes: 'Yes', no: 'No' }

/**
 * Returns functions that read the fields of a step, by key. The fields have no types in Zapier, because
 * Zapier converts any text to the type of its field: "Q1 leads" to 1, "n/a" to true, or to the current time.
 *
 * The functions return undefined for a blank field. For a value that they can't use, they throw a HaltedError if it's a
 * lead's own data, and otherwise an Error.
 */
export function readInput(z: ZObject, bundle: Bundle, inputFields: readonly PlainInputField[]) {
  const labelOf = (key: string) => inputFields.find((field) => field.key === key)?.label ?? ''
  const fail = (key: string, problem: string) => mistake(z, `${labelOf(key)} ${problem}`)
  const failForLead = (key: string, problem: string) =>
    isLeadField(key, inputFields) ? invalidInput(z, `${labelOf(key)} ${problem}`) : fail(key, problem)

  /** Returns text without the spaces around it. Numbers and booleans become text. */
  const text = (key: string): string | undefined => {
    const value: unknown = bundle.inputData[key] ?? ''
    if (typeof value === 'object') throw fail(key, 'must be one text, not a list or a group of values.')
    return toText(value).trim() || undefined
  }

  /** Returns the choice that the text names, by its value or label. */
  const findChoice = (key: string, choices: Choices, name: string): string => {
    const found = Object.entries(choices).find((choice) =>
      choice.some((word) => word.toLowerCase() === name.toLowerCase()),
    )
    if (!found) throw fail(key, `must be ${joinWithOr(Object.values(choices))}.`)
    return found[0]
  }

  const choice = (key: string, choices: Choices): string | undefined => {
    const name = text(key)
    return name === undefined ? undefined : findChoice(key, choices, name)
  }

  return {
    text,
    choice,

    /** Returns the choices of a list field. A list mapped from another step can be one text, with commas. */
    choices: (key: string, choices: Choices): string[] => {
      const names = [bundle.inputData[key] ?? []].flat().flatMap((item) => toText(item).split(','))
      const codes = names.filter((name) => name.trim()).map((name) => findChoice(key, choices, name.trim()))
      return [...new Set(codes)]
    },

    /** @param read returns undefined for text that means neither yes nor no */
    yesOrNo: (key: string, read = readYesNo): boolean | undefined => {
      const typed = text(key)
      if (typed === undefined) return undefined
      const answer = read(typed)
      if (answer === undefined) throw fail(key, 'must be Yes or No.')
      return answer
    },

    wholeNumber: (key: string): number | undefined => {
      const digits = text(key)
      const number = toWholeNumber(digits)
      if (digits !== undefined && number === undefined) throw fail(key, 'must be a whole number.')
      return number
    },

    /** Returns an ID. Text that isn't a number is looked up as a name. */
    id: async <Item extends { id: number }>(
      key: string,
      list: NamedList<Item>,
    ): Promise<number | undefined> => {
      const name = text(key)
      if (name === undefined) return undefined
      return toWholeNumber(name) ?? findIdByName(z, list, name, (problem) => fail(key, problem))
    },

    /** Returns a function that finds an ID by its item's name, even if the name consists of digits. */
    idByName:
      <Item extends { id: number }>(key: string, list: NamedList<Item>) =>
      (): Promise<number | undefined> =>
        findIdByExactName(z, list, text(key) ?? ''),

    /** Returns a time of day as HH:MM. */
    timeOfDay: (key: string): string | undefined => {
      const time = text(key)
      if (time === undefined) return undefined
      const [, hours = '', minutes = '00', half = ''] = timeOfDay.exec(time) ?? []
      if (hours === '') throw fail(key, notTimeOfDay)
      const hour = half === '' ? Number(hours) : (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0)
      if (half !== '' && (Number(hours) < 1 || Number(hours) > 12)) throw fail(key, notTimeOfDay)
      return `${String(hour).padStart(2, '0')}:${minutes}`
    },

    /**
     * Returns a date and time as ISO 8601 in UTC. A text without a time zone is in the time zone of the Zap.
     *
     * @param options.orAsTyped returns unreadable text unchanged instead of throwing, because the API leaves it out
     */
    dateTime: (key: string, { orAsTyped = false } = {}): string | undefined => {
      const value = text(key)
      if (value === undefined) return undefined
      const typed = readDateTime(value)
      const { timezone } = bundle.meta
      const isUsable = typed !== undefined && (typed.offset !== undefined || Boolean(timezone))
      if (orAsTyped && !isUsable) return value
      if (typed === undefined) throw fail(key, 'must be a date and time, for example 2026-05-04 09:30.')
      if (!isUsable) throw fail(key, 'has no time zone. Add a time zone, for example 2026-11-26 09:30 EST.')
      // The default `UTC` has no effect: if the Zap has no time zone, the text has one.
      return new Date(toMoment(typed, timezone ?? 'UTC')).toISOString()
    },

    /** Returns the kind of a consent. A text that can't be read is returned as typed, because the API leaves it out. */
    consentKind: (key: string): string | undefined => {
      const kind = text(key)
      return kind && (readConsentKind(kind) ?? kind)
    },

    /**
     * Returns the phone number as it was typed, because the API reads more formats, and its country. An unknown country is
     * sent as one that doesn't exist: the API then reads only numbers with a country code.
     *
     * @param options.allowsSeveral also accepts several numbers, because someone who opts out must not be called on any of them
     */
    phoneNumber: ({ allowsSeveral = false } = {}): {
      phone_number: string | undefined
      country: string | undefined
    } => {
      const value: unknown = bundle.inputData.phone_number
      const isList = allowsSeveral && Array.isArray(value)
      const phone_number = isList ? value.map(toText).join(', ').trim() || undefined : text('phone_number')
      const name = text('country')
      return { phone_number, country: name && (readCountry(name)?.code ?? 'ZZ') }
    },

    /**
     * Returns the IANA name of a time zone. Names that only the API can read are returned as typed: American names and
     * abbreviations, which depend on the number's country, and IANA names that are too new for the connector. Without a
     * contact's number, as in Create Campaign, American names mean time zones of the United States.
     */
    timeZone: (key: string): string | undefined => {
      const name = text(key)
      if (name === undefined) return undefined
      const hasNumber = text('phone_number') !== undefined
      const timeZone = readTimeZone(name) ?? (hasNumber ? undefined : readTimeZone(`${name} (US)`))
      if (timeZone !== undefined) return timeZone
      if (isAmericanTimeZone(name) || /^[A-Za-z]{2,}\/./.test(name)) return name
      throw failForLead(key, 'must be a time zone, for example New York or America/New_York.')
    },

    /**
     * Returns a dictionary whose values are text, exactly as typed. An entry can also be a separate field with a key
     * such as `variables__product`.
     */
    dictionary: (key: string): Record<string, unknown> | undefined => {
      const value: unknown = bundle.inputData[key] ?? ''
      if (value !== '' && !isObject(value))
        throw fail(key, 'must have names on the left and values on the right.')
      const prefix = `${key}__`
      const fromFields = Object.entries(bundle.inputData)
        .filter(([name, item]) => name.startsWith(prefix) && withoutBlanks(item) !== undefined)
        .map(([name, item]) => [name.slice(prefix.length), item] as const)
      const entries = [...(value === '' ? [] : Object.entries(value)), ...fromFields]
      return Object.fromEntries(entries.map(([name, item]) => [name, scalarToText(item)]))
    },
  }
}

/** Joins texts with “or”. Creates the format only now, because every step would wait 11 ms for the first `Intl` object. */
const joinWithOr = (items: string[]): string =>
  new Intl.ListFormat('en-US', { type: 'disjunction' }).format(items)

const notTimeOfDay = 'must be a time of day, for example 09:00.'

/** Matches 9:00, 09:00:00, 9 AM, and 5:30 pm. */
const timeOfDay = /^(\d{1,2})(?=:|\s*[ap])(?::(\d\d))?(?::\d\d)?\s*([ap]\.?m\.?)?$/i

/** Returns a number for digits, and for digits as spreadsheets write them: 12.0. */
const toWholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}(\.0+)?$/.test(text) ? Number(text) : undefined

const scalarToText = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
