import type { Campaign } from '@outdial/contract'
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core'
import { formatTimeZone, listTimeZones } from '../../reading/time-zone.ts'
import { readList } from '../client.ts'
import * as lists from '../lists.ts'

interface Choice {
  id: string
  label: string
}

/** Zapier counts pages from 0. */
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
      perform: async (z: ZObject, { meta }: Bundle) => makeLabelsUnique(await readPage(z, meta.page)),
      canPaginate: true,
    },
  } satisfies Trigger
}

/** Adds the ID to labels that are on the page more than once. */
function makeLabelsUnique(choices: Choice[]): Choice[] {
  const counts = Map.groupBy(choices, ({ label }) => label)
  return choices.map(({ id, label }) =>
    counts.get(label)?.length === 1 ? { id, label } : { id, label: `${label} · ID ${id}` },
  )
}

const toChoice = <Item extends { id: number }>(item: Item, label: string): Choice => ({
  id: String(item.id),
  label,
})

const campaignLabel = ({ name, status }: Campaign) => (status === 'active' ? name : `${name} (${status})`)

/** Lists all campaigns, to filter by. The label of one that isn't active names its status. */
export const campaigns = dropdown({
  key: 'campaigns',
  noun: 'Campaign',
  readPage: async (z, page) => {
    const query = { limit: pageSize, offset: page * pageSize }
    const { results } = await readList(z, lists.campaigns, query)
    return results.map((campaign) => toChoice(campaign, campaignLabel(campaign)))
  },
})

/**
 * Lists the campaigns that can get calls: all but the archived ones. The API doesn't leave these out, so each page
 * reads the API's list from its beginning. A page would otherwise be empty if its campaigns were all archived.
 */
export const openCampaigns = dropdown({
  key: 'open_campaigns',
  noun: 'Open Campaign',
  readPage: async (z, page) => {
    const open: Choice[] = []
    for await (const campaign of lists.readAll(z, lists.campaigns)) {
      if (!lists.isArchived(campaign)) open.push(toChoice(campaign, campaignLabel(campaign)))
      if (open.length === (page + 1) * pageSize) break
    }
    return open.slice(page * pageSize)
  },
})

/** Lists the Live agents. The language tells agents with the same name apart. */
export const agents = dropdown({
  key: 'agents',
  noun: 'Agent',
  readPage: async (z, page) => {
    const query = { limit: pageSize, offset: page * pageSize }
    const { results } = await readList(z, lists.agents, query)
    return results.map((agent) => toChoice(agent, `${agent.name} · ${agent.language}`))
  },
})

/** Lists the phone numbers that calls can be made from. */
export const phoneNumbers = dropdown({
  key: 'phone_numbers',
  noun: 'Phone Number',
  readPage: async (z, page) => {
    const query = { limit: pageSize, offset: page * pageSize }
    const { results } = await readList(z, lists.phoneNumbers, query)
    return results.map((item) =>
      toChoice(item, item.label ? `${item.label} (${item.phone_number})` : item.phone_number),
    )
  },
})

/** Lists the time zones. As a dropdown, they're in the connector once, and not in the definition of every field. */
export const timeZoneChoices = dropdown({
  key: 'time_zones',
  noun: 'Time Zone',
  readPage: async (_z, page) =>
    page > 0 ? [] : listTimeZones().map((id) => ({ id, label: formatTimeZone(id) })),
})
