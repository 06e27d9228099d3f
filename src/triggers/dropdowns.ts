import type { Bundle, Trigger, ZObject } from 'zapier-platform-core'
import { formatTimeZone, listTimeZones } from '../../reading/time-zone.ts'
import { readList } from '../client.ts'
import * as lists from '../lists.ts'

interface Choice {
  id: string
  label: string
}

/** Number of choices on a page. Zapier counts pages from 0. */
const pageSize = 100

/**
 * Creates a hidden trigger that fills a dropdown, page by page.
 *
 * @param list.readPage returns a page of choices; the user reads the label, and the ID is stored
 */
function dropdown<Key extends string>(list: {
  key: Key
  noun: string
  readPage: (z: ZObject, page: number) => Promise<Choice[]>
}) {
  const { key, noun, readPage } = list
  return {
    key,
    noun,
    display: {
      label: `List ${noun}s`,
      description: `Triggers when a new ${noun.toLowerCase()} is listed in a dropdown.`,
      hidden: true,
    },
    operation: {
      type: 'polling',
      perform: (z: ZObject, { meta }: Bundle) => readPage(z, meta.page),
      canPaginate: true,
    },
  } satisfies Trigger
}

/** Reads a page of a list. Adds the ID to labels that are on the page more than once. */
async function readChoices<Item extends { id: number }>(
  z: ZObject,
  list: lists.NamedList<Item>,
  page: number,
  ...queries: Record<string, unknown>[]
): Promise<Choice[]> {
  const paging = { limit: pageSize, offset: page * pageSize }
  const items: Item[] = []
  for (const query of queries) items.push(...(await readList(z, list, { ...query, ...paging })).results)
  const byLabel = Map.groupBy(items, list.label)
  return items.map((item) => {
    const label = list.label(item)
    const isUnique = byLabel.get(label)?.length === 1
    return { id: String(item.id), label: isUnique ? label : lists.labelWithId(list, item) }
  })
}

const open = { order: 'newest', status: ['active', 'paused'] }
const archived = { order: 'newest', status: 'archived' }

/** Lists all campaigns, to filter by: on each page the newest first, and after them the archived ones. */
export const campaigns = dropdown({
  key: 'campaigns',
  noun: 'Campaign',
  readPage: (z, page) => readChoices(z, lists.campaigns, page, open, archived),
})

/** Lists the campaigns that can get calls: all but the archived ones, newest first. */
export const openCampaigns = dropdown({
  key: 'open_campaigns',
  noun: 'Open Campaign',
  readPage: (z, page) => readChoices(z, lists.campaigns, page, open),
})

/** Lists the Live agents. The language tells agents with the same name apart. */
export const agents = dropdown({
  key: 'agents',
  noun: 'Agent',
  readPage: (z, page) => readChoices(z, lists.agents, page, {}),
})

/** Lists the phone numbers that calls can be made from. */
export const phoneNumbers = dropdown({
  key: 'phone_numbers',
  noun: 'Phone Number',
  readPage: (z, page) => readChoices(z, lists.phoneNumbers, page, {}),
})

/** Lists the time zones. As a dropdown, they're in the connector once, and not in the definition of every field. */
export const timeZoneChoices = dropdown({
  key: 'time_zones',
  noun: 'Time Zone',
  readPage: async (_z, page) =>
    page > 0 ? [] : listTimeZones().map((id) => ({ id, label: formatTimeZone(id) })),
})
