import type { Agent, Campaign, PhoneNumber } from '@outdial/contract'
import type { ZObject } from 'zapier-platform-core'
import { type ApiList, hasId, readList } from './client.ts'
import { isObject } from './values.ts'

/** A list of the API whose items have IDs and names. */
export interface NamedList<Item extends { id: number }> extends ApiList<Item> {
  /** In a sentence, for example "a campaign". */
  noun: string
  /** Returns the texts that a user may type in place of the ID. */
  names: (item: Item) => string[]
}

/** The API's maximum. */
const pageSize = 200

/** Yields every item of a list, and reads a page only when it's needed. */
export async function* readAll<Item>(
  z: ZObject,
  list: ApiList<Item>,
  query: Record<string, unknown> = {},
): AsyncGenerator<Item> {
  for (let offset = 0, isLast = false; !isLast; offset += pageSize) {
    const { results } = await readList(z, list, { ...query, limit: pageSize, offset })
    yield* results
    isLast = results.length < pageSize
  }
}

/** The API's maximum for a search. */
const maxSearchLength = 200

/** Returns every item whose name contains the text. */
export async function searchByName<Item extends { id: number }>(
  z: ZObject,
  list: NamedList<Item>,
  search: string,
): Promise<Item[]> {
  const items: Item[] = []
  if (search.length > maxSearchLength) return items
  for await (const item of readAll(z, list, { search })) items.push(item)
  return items
}

/**
 * Finds the ID of the only item with exactly this name, whatever its capitalization. If an archived campaign has the
 * name of another one, the other one is meant.
 */
export async function findIdByName<Item extends { id: number }>(
  z: ZObject,
  list: NamedList<Item>,
  name: string,
  fail: (problem: string) => Error,
): Promise<number> {
  const similar = await searchByName(z, list, name)
  const found = similar.filter((item) => list.names(item).some((text) => isSameName(text, name)))
  const current = found.filter((item) => !isArchived(item))
  const [match, ...others] = current.length > 0 ? current : found
  if (!match) throw fail(`isn't the ID or the exact name of ${list.noun}. ${advice}`)
  if (others.length > 0) throw fail(`is the name of more than one. ${advice}`)
  return match.id
}

const advice = 'Choose from the list, or map an ID.'

/** Compares names without regard to capitalization and to spaces around them. */
export const isSameName = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase()

/** Returns true for a campaign that is archived. Agents and phone numbers have no status. */
export const isArchived = (item: object): boolean => 'status' in item && item.status === 'archived'

const hasTexts = (value: unknown, ...names: string[]): boolean =>
  isObject(value) && hasId(value) && names.every((name) => typeof value[name] === 'string')

export const campaigns: NamedList<Campaign> = {
  path: '/campaigns/',
  isItem: (value): value is Campaign => hasTexts(value, 'name', 'status'),
  noun: 'a campaign',
  names: ({ name }) => [name],
}

/** Only Live agents. */
export const agents: NamedList<Agent> = {
  path: '/agents/',
  isItem: (value): value is Agent => hasTexts(value, 'name', 'language'),
  noun: 'a Live agent',
  names: ({ name }) => [name],
}

/** Only active numbers. */
export const phoneNumbers: NamedList<PhoneNumber> = {
  path: '/phone-numbers/',
  isItem: (value): value is PhoneNumber => hasTexts(value, 'label', 'phone_number'),
  noun: 'an active phone number',
  names: ({ label, phone_number }) => [label, phone_number],
}
