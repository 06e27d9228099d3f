// cspell:ignore AKDT AKST Kyiv Olympus
// Zaps, imports, and the API must understand each text in the same way. These files test it: test/reading/time-zone.test.ts,
// test/time-zones.test.ts, backend/test/contacts/contact-time-zones.test.ts, and
// backend/test/dashboard/contacts/import-pages.test.ts.

const newYork = 'America/New_York'
const chicago = 'America/Chicago'
const denver = 'America/Denver'
const losAngeles = 'America/Los_Angeles'

/** Functions that return a number in a place. Each index gives a different number. */
const places = {
  'New York': (index: number) => `+1212557${1000 + index}`,
  Toronto: (index: number) => `+1416557${1000 + index}`,
  Arizona: (index: number) => `+1602557${1000 + index}`,
  Saskatchewan: (index: number) => `+1306557${1000 + index}`,
  Jamaica: (index: number) => `+1876957${1000 + index}`,
  'Puerto Rico': (index: number) => `+1787557${1000 + index}`,
  Germany: (index: number) => `+491512345${1000 + index}`,
} as const

type Place = keyof typeof places

/** For each place, the country of its numbers and their possible time zones. */
export const zonesOfPlaces: Record<Place, { country: string; zones: string[] }> = {
  'New York': { country: 'US', zones: ['America/New_York'] },
  Toronto: { country: 'CA', zones: ['America/Toronto'] },
  Arizona: { country: 'US', zones: ['America/Denver', 'America/Phoenix'] },
  Saskatchewan: { country: 'CA', zones: ['America/Regina'] },
  Jamaica: { country: 'JM', zones: ['America/Jamaica'] },
  'Puerto Rico': { country: 'PR', zones: ['America/Puerto_Rico'] },
  Germany: { country: 'DE', zones: ['Europe/Berlin'] },
}

/** Texts that mean the same for every number, because they name a place. */
const names: readonly [text: string, timeZone: string][] = [
  ['America/New_York', newYork],
  ['america/new york', newYork],
  ['New York (America/New_York)', newYork],
  ['New York', newYork],
  ['new_york', newYork],
  ['London', 'Europe/London'],
  ['buenos aires', 'America/Argentina/Buenos_Aires'],
  ['Kyiv', 'Europe/Kyiv'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['US/Eastern', newYork],
  ['EST5EDT', newYork],
  ['UTC', 'UTC'],
  ['Etc/UTC', 'UTC'],
  ['Eastern Time (US & Canada)', newYork],
  ['(GMT-05:00) Eastern Time (US & Canada)', newYork],
  ['(GMT-05:00) Eastern Standard Time (America/New_York)', newYork],
  ['(GMT-07:00) Mountain Standard Time (America/Phoenix)', 'America/Phoenix'],
  ['Mountain Time (US & Canada)', denver],
  ['Eastern Standard Time (US)', newYork],
  ['Atlantic Time (Canada)', 'America/Halifax'],
  ['US/Mountain', denver],
  ['Canada/Central', 'America/Winnipeg'],
  ['MST7MDT', denver],
  ['(UTC+01:00) Europe/Berlin', 'Europe/Berlin'],
  ['us_slash_eastern', newYork],
  ['us_slash_hawaii', 'Pacific/Honolulu'],
  ['america_slash_argentina_slash_buenos_aires', 'America/Argentina/Buenos_Aires'],
  ['W. Europe Standard Time', 'Europe/Berlin'],
  ['India Standard Time', 'Asia/Kolkata'],
  ['US Mountain Standard Time', 'America/Phoenix'],
  ['US Eastern Standard Time', 'America/Indiana/Indianapolis'],
  ['Central Standard Time (Mexico)', 'America/Mexico_City'],
  ['Eastern Standard Time (Mexico)', 'America/Cancun'],
  ['Canada Central Standard Time', 'America/Regina'],
  ['AUS Eastern Standard Time', 'Australia/Sydney'],
]

/** Texts that mean a time zone only for numbers in the United States and Canada. */
const american: readonly [text: string, place: Place, timeZone: string | undefined][] = [
  ['ET', 'New York', newYork],
  ['EST', 'New York', newYork],
  ['est', 'New York', newYork],
  ['EDT', 'Toronto', newYork],
  ['(GMT-05:00) EST', 'New York', newYork],
  ['Eastern', 'New York', newYork],
  ['CT', 'New York', chicago],
  ['CST', 'New York', chicago],
  ['CDT', 'Toronto', chicago],
  ['MT', 'Arizona', denver],
  ['MST', 'New York', denver],
  ['MST', 'Arizona', 'America/Phoenix'],
  ['MDT', 'New York', denver],
  ['PT', 'New York', losAngeles],
  ['PST', 'Toronto', losAngeles],
  ['PDT', 'New York', losAngeles],
  ['AKST', 'New York', 'America/Anchorage'],
  ['AKDT', 'New York', 'America/Anchorage'],
  ['HST', 'New York', 'Pacific/Honolulu'],
  ['Eastern Time', 'New York', newYork],
  ['Eastern Standard Time', 'New York', newYork],
  ['(GMT-05:00) Eastern Standard Time', 'Toronto', newYork],
  ['eastern daylight time', 'New York', newYork],
  ['Eastern Time Zone', 'New York', newYork],
  ['eastern_standard_time', 'New York', newYork],
  ['Central Time', 'Toronto', chicago],
  ['Central Standard Time', 'New York', chicago],
  ['Mountain Time', 'New York', denver],
  ['Mountain Standard Time', 'New York', denver],
  ['Pacific Time', 'New York', losAngeles],
  ['Pacific Standard Time', 'New York', losAngeles],
  ['Atlantic Standard Time', 'Toronto', 'America/Halifax'],
  ['Alaska Daylight Time', 'New York', 'America/Anchorage'],
  ['Alaskan Standard Time', 'New York', 'America/Anchorage'],
  ['Hawaii Standard Time', 'New York', 'Pacific/Honolulu'],
  ['Hawaiian Standard Time', 'New York', 'Pacific/Honolulu'],
  // Arizona has no daylight saving time.
  ['Mountain Standard Time', 'Arizona', 'America/Phoenix'],
  ['(UTC-07:00) Mountain Standard Time', 'Arizona', 'America/Phoenix'],
  ['Mountain Standard Time Zone', 'Arizona', 'America/Phoenix'],
  ['Mountain Time', 'Arizona', denver],
  ['Mountain Daylight Time', 'Arizona', denver],
  ['Pacific Standard Time', 'Arizona', losAngeles],
  ['CST', 'Saskatchewan', 'America/Regina'],
  ['Central Standard Time', 'Saskatchewan', 'America/Regina'],
  ['CT', 'Saskatchewan', chicago],
  // In other countries, these words mean other time zones, or time zones without daylight saving time.
  ['EST', 'Jamaica', undefined],
  ['Eastern', 'Jamaica', undefined],
  ['Eastern Time', 'Jamaica', undefined],
  ['Eastern Standard Time', 'Jamaica', undefined],
  ['(GMT-05:00) Eastern Standard Time', 'Jamaica', undefined],
  ['Atlantic Standard Time', 'Puerto Rico', undefined],
  ['Eastern Standard Time', 'Germany', undefined],
  ['Central Standard Time', 'Germany', undefined],
  ['Mountain Time', 'Germany', undefined],
  ['Pacific Standard Time', 'Germany', undefined],
  ['Alaskan Standard Time', 'Germany', undefined],
  ['Hawaiian Standard Time', 'Germany', undefined],
  ['EST', 'Germany', undefined],
  ['CST', 'Germany', undefined],
  ['Central', 'Germany', undefined],
  ['MST', 'Germany', undefined],
  ['HST', 'Germany', undefined],
]

/** Abbreviations with several meanings, fixed offsets, and texts that don't name a time zone. */
const unreadable: readonly string[] = [
  ...[
    'BST',
    'IST',
    'CET',
    'GMT',
    'AST',
    'Z',
    'GMT+1',
    'UTC-5',
    '-05:00',
    '(GMT-05:00)',
    'Etc/GMT+5',
    'GMT-0',
  ],
  ...[
    'n/a',
    'yes',
    '5',
    'my office',
    'Mars/Olympus',
    'Time',
    'Central European Time',
    'local',
    '(US & Canada)',
  ],
]

interface TimeZoneCase {
  text: string
  phoneNumber: string
  place: Place
  /** The time zone that the text means. Undefined if the text isn't accepted. */
  timeZone: string | undefined
  /** True if the text's meaning depends on the number's country. */
  dependsOnNumber: boolean
}

const rows: readonly (readonly [string, Place, string | undefined, boolean])[] = [
  ...names.map(([text, timeZone]) => [text, 'Germany', timeZone, false] as const),
  ...names.map(([text, timeZone]) => [text, 'New York', timeZone, false] as const),
  ...names.map(([text, timeZone]) => [text, 'Jamaica', timeZone, false] as const),
  ...american.map(([text, place, timeZone]) => [text, place, timeZone, true] as const),
  ...unreadable.map((text) => [text, 'New York', undefined, false] as const),
]

export const timeZoneCases = rows.map(([text, place, timeZone, dependsOnNumber], index): TimeZoneCase => ({
  ...{ text, place, timeZone, dependsOnNumber },
  phoneNumber: places[place](index),
}))
