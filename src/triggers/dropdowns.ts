import type { Agent, Campaign, PhoneNumber } from '@outdial/contract'
import type { Bundle, Trigger, ZObject } from 'zapier-platform-core'
import { callApi } from '../client.ts'

/** Lists the Live agents. */
export const agents = dropdown<Agent>({
  key: 'agents',
  noun: 'Agent',
  path: '/agents/',
  label: ({ name }) => name,
})

/** Lists the campaigns. The label of one that isn't active names its status. */
export const campaigns = dropdown<Campaign>({
  key: 'campaigns',
  noun: 'Campaign',
  path: '/campaigns/',
  label: ({ name, status }) => (status === 'active' ? name : `${name} (${status})`),
})

/** Lists the phone numbers that calls can be made from. */
export const phoneNumbers = dropdown<PhoneNumber>({
  key: 'phone_numbers',
  noun: 'Phone Number',
  path: '/phone-numbers/',
  label: ({ label, phone_number }) => (label ? `${label} (${phone_number})` : phone_number),
})

const pageSize = 100

/**
 * Creates a hidden trigger that fills a dropdown, page by page, from a list of the API.
 *
 * @param list.label returns the text that the user reads; the stored value is the ID
 */
function dropdown<Item extends { id: number }>(list: {
  key: string
  noun: string
  path: string
  label: (item: Item) => string
}) {
  const perform = async (z: ZObject, bundle: Bundle) => {
    // Zapier counts pages from 0.
    const query = { limit: pageSize, offset: bundle.meta.page * pageSize }
    const page = await callApi<{ results: Item[] }>(z, { method: 'GET', path: list.path, query })
    return page.results.map((item) => ({ id: String(item.id), label: list.label(item) }))
  }
  return {
    key: list.key,
    noun: list.noun,
    display: {
      label: `List ${list.noun}s`,
      description: `Triggers when a new ${list.noun.toLowerCase()} is listed in a dropdown.`,
      hidden: true,
    },
    operation: { type: 'polling', perform, canPaginate: true },
  } satisfies Trigger
}
