import type { Agent, Campaign, PhoneNumber } from '@outdial/contract'
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core'
import { readList } from '../client.ts'
import * as lists from '../lists.ts'
import { formatTimeZone, timeZones } from '../time-zones.ts'

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
      perform: async (z: ZObject, { meta }: Bundle) => readPage(z, meta.page),
      canPaginate: true,
    },
  } satisfies Trigger
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
    const { results } = await readList<Campaign>(z, lists.campaigns.path, query)
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
    for await (const campaign of lists.readAll<Campaign>(z, lists.campaigns.path)) {
      if (!lists.isArchived(campaign)) open.push(toChoice(campaign, campaignLabel(campaign)))
      if (open.length === (page + 1) * pageSize) break
    }
    return open.slice(page * pageSize)
  },
})

/** Lists the Live agents. The language tells agents with the same name apart, or the ID if it's the same as well. */
export const agents = dropdown({
  key: 'agents',
  noun: 'Agent',
  readPage: async (z, page) => {
    const query = { limit: pageSize, offset: page * pageSize }
    const { results } = await readList<Agent>(z, lists.agents.path, query)
    const choices = results.map((agent) => toChoice(agent, `${agent.name} · ${agent.language}`))
    const isUnique = ({ label }: Choice) => choices.filter((choice) => choice.label === label).length === 1
    return choices.map((choice) =>
      isUnique(choice) ? choice : { ...choice, label: `${choice.label} · ID ${choice.id}` },
    )
  },
})

/** Lists the phone numbers that calls can be made from. */
export const phoneNumbers = dropdown({
  key: 'phone_numbers',
  noun: 'Phone Number',
  readPage: async (z, page) => {
    const query = { limit: pageSize, offset: page * pageSize }
    const { results } = await readList<PhoneNumber>(z, lists.phoneNumbers.path, query)
    return results.map((item) =>
      toChoice(item, item.label ? `${item.label} (${item.phone_number})` : item.phone_number),
    )
  },
})

/** Lists the time zones. As a dropdown, they're in the connector once, and not in the definition of every field. */
export const timeZoneChoices = dropdown({
  key: 'time_zones',
  noun: 'Time Zone',
  readPage: async (_z, page) => (page > 0 ? [] : timeZones.map((id) => ({ id, label: formatTimeZone(id) }))),
})
