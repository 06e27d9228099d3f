import type { Agent, Campaign, PhoneNumber } from '@outdial/contract'
import type { ZObject } from 'zapier-platform-core'
import { type ApiList, hasId, readList } from './client.ts'
import { isObject } from './values.ts'

/** A list of the API whose items have IDs and names. */
export interface NamedList<Item extends { id: number }> extends ApiList<Item> {
  /** What an item is called in a sentence, for example "a campaign". */
  noun: string
  /** Returns the texts that a user may type in place of the ID. In addition, users may type the label of the dropdown. */
  names: (item: Item) => string[]
  /** Returns the label of the item in a dropdown. */
  label: (item: Item) => string
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

/** Returns every item of a list. */
async function collectAll<Item>(...args: Parameters<typeof readAll<Item>>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of readAll<Item>(...args)) items.push(item)
  return items
}

/** The API's maximum for a search. */
const maxSearchLength = 200

/** Returns every item whose name contains the text. */
export async function searchByName<Item extends { id: number }>(
  z: ZObject,
  list: NamedList<Item>,
  search: string,
  query: Record<string, unknown> = {},
): Promise<Item[]> {
  return search.length > maxSearchLength ? [] : collectAll(z, list, { ...query, search })
}

/**
 * Finds the ID of the only item that the text names, whatever its capitalization: by its exact name, or else as the
 * dropdown shows it. Names up to three items in the error, because AI agents can't see the dropdown.
 */
export async function findIdByName<Item extends { id: number }>(
  z: ZObject,
  list: NamedList<Item>,
  typed: string,
  fail: (problem: string) => Error,
): Promise<number> {
  const named = selectNamed(list, await searchByName(z, list, typed), typed)
  const all = named.length > 0 ? named : await collectAll(z, list)
  const [match, ...others] = selectNamed(list, all, typed)
  if (!match) {
    const similar = selectSimilar(list, all, typed)
    throw fail(
      `isn't the ID or the exact name of ${list.noun}. ${advice}${listItems(list, 'Similar', similar)}`,
    )
  }
  if (others.length > 0)
    throw fail(`is the name of more than one. ${advice}${listItems(list, 'Found', [match, ...others])}`)
  return match.id
}

/** Finds the ID of the only item with this exact name. */
export async function findIdByExactName<Item extends { id: number }>(
  z: ZObject,
  list: NamedList<Item>,
  name: string,
): Promise<number | undefined> {
  const [match, ...others] = selectNamed(list, await searchByName(z, list, name), name)
  return others.length === 0 ? match?.id : undefined
}

/**
 * Selects the items with this name. If there are none, selects those with this label, label and ID, or phone number. Selects an
 * archived campaign only if no other campaign matches.
 */
export function selectNamed<Item extends { id: number }>(
  list: NamedList<Item>,
  items: readonly Item[],
  typed: string,
): Item[] {
  const isOneOf = (texts: string[]) => texts.some((text) => isSameName(text, typed))
  const withName = items.filter((item) => isOneOf(list.names(item)))
  const digits = typed.replaceAll(/[\s().-]/g, '')
  const isShown = (item: Item) =>
    isOneOf([list.label(item), labelWithId(list, item)]) ||
    (/^\+\d+$/.test(digits) && list.names(item).includes(digits))
  const found = withName.length > 0 ? withName : items.filter(isShown)
  const current = found.filter((item) => !isArchived(item))
  return current.length > 0 ? current : found
}

/** Selects the items that have words of the text in their labels, those with the most words first. */
function selectSimilar<Item extends { id: number }>(
  list: NamedList<Item>,
  items: readonly Item[],
  typed: string,
): Item[] {
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const typedWords = wordsOf(typed)
  const countCommon = (item: Item) => {
    const words = wordsOf(list.label(item))
    return typedWords.filter((word) => words.includes(word)).length
  }
  return items
    .filter((item) => !isArchived(item) && countCommon(item) > 0)
    .toSorted((one, other) => countCommon(other) - countCommon(one))
}

const advice = 'Choose from the list, or map an ID.'

/** Returns " Found: Website leads · ID 3; Website leads · ID 7." Shortens long names, because Zapier cuts off a long error. */
function listItems<Item extends { id: number }>(
  list: NamedList<Item>,
  heading: string,
  items: readonly Item[],
): string {
  const texts = items.slice(0, 3).map((item) => labelWithId(list, item, 40))
  return texts.length === 0 ? '' : ` ${heading}: ${texts.join('; ')}.`
}

/** Returns the label as a dropdown shows it if several items have it. */
export const labelWithId = <Item extends { id: number }>(
  list: NamedList<Item>,
  item: Item,
  maxLength = Infinity,
): string => `${list.label(item).slice(0, maxLength).toWellFormed()} · ID ${item.id}`

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
  label: ({ name, status }) => (status === 'active' ? name : `${name} (${status})`),
}

/** The agents that are Live. */
export const agents: NamedList<Agent> = {
  path: '/agents/',
  isItem: (value): value is Agent => hasTexts(value, 'name', 'language'),
  noun: 'a Live agent',
  names: ({ name }) => [name],
  label: ({ name, language }) => `${name} · ${language}`,
}

/** The phone numbers that are active. */
export const phoneNumbers: NamedList<PhoneNumber> = {
  path: '/phone-numbers/',
  isItem: (value): value is PhoneNumber => hasTexts(value, 'label', 'phone_number'),
  noun: 'an active phone number',
  names: ({ label, phone_number }) => [label, phone_number],
  label: ({ label, phone_number }) => (label ? `${label} (${phone_number})` : phone_number),
}
