import timeZoneKeywords from 'cldr-bcp47/bcp47/timezone.json' with { type: 'json' }
import windows from 'cldr-core/supplemental/windowsZones.json' with { type: 'json' }
import { format, resolveConfig } from 'prettier'
import * as z from 'zod'

export const timeZoneNamesFile = new URL('../reading/time-zone-names.ts', import.meta.url)

/** A time zone's names. `_iana` is the modern one; it exists only if the first name in `_alias` is older. */
const Names = z.object({ _alias: z.string(), _iana: z.string().optional() })

const MapZone = z.object({
  mapZone: z.object({ _other: z.string(), _type: z.string(), _territory: z.string() }),
})

/** IANA names that people also use as abbreviations. What an abbreviation means depends on the number's country. */
const abbreviations = new Set(['CET', 'EET', 'EST', 'HST', 'MET', 'MST', 'WET'])

/** Matches Windows names that Americans also use for their time. What these mean depends on the number's country, too. */
const americanName = /^(?:Atlantic|Eastern|Central|Mountain|Pacific|Alaskan|Hawaiian) Standard Time$/

/** Generates the constants with time zone names from Unicode's CLDR, because Node's versions have different names. */
export async function generateTimeZoneNames(): Promise<string> {
  const zones = Object.entries(timeZoneKeywords.keyword.u.tz)
    .flatMap(([, value]) => Names.safeParse(value).data ?? [])
    .map(({ _alias, _iana }) => {
      const names = _alias.split(' ')
      const name = names.includes('UTC') ? 'UTC' : (_iana ?? names[0] ?? '')
      return { name, others: names.filter((other) => other !== name && !abbreviations.has(other)) }
    })
    .filter(({ name }) => !name.startsWith('Etc/'))
    .toSorted((a, b) => Number(b.name === 'UTC') - Number(a.name === 'UTC') || (a.name < b.name ? -1 : 1))
  const modernNames = new Map(
    zones.flatMap(({ name, others }) => [name, ...others].map((key) => [key, name])),
  )
  const windowsZones = z
    .array(MapZone)
    .parse(windows.supplemental.windowsZones.mapTimezones)
    .filter(({ mapZone }) => mapZone._territory === '001')
    .flatMap(({ mapZone: { _other: name, _type: zone } }) => {
      const modern = modernNames.get(zone)
      return modern === undefined || modern === 'UTC' || americanName.test(name)
        ? []
        : [[name, modern] as const]
    })
  const text = `// Written by \`npm run generate\`.

/** The time zones by their modern names, with their older ones. Those with a fixed offset are left out, except UTC. */
export const olderNames: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(zones.map(({ name, others }) => [name, others.join(' ')])))}

/** The time zones of Windows, Outlook, and Dynamics. */
export const windowsZones: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(windowsZones))}
`
  const options = await resolveConfig(timeZoneNamesFile)
  return format(text, { ...options, parser: 'typescript' })
}
