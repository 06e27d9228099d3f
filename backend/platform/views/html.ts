import { findPlaces, isLinkAttribute, isTextAttribute, type Place } from './markup-reader.ts'

const secret = Symbol('Only this file can write markup.')

/** Markup that is safe in its place. Only this file can create it (docs/decisions/0048-pages-as-functions.md). */
class Markup<Where extends 'text' | 'tag'> {
  readonly #place: Where
  readonly #markup: string

  constructor(key: symbol, place: Where, markup: string) {
    if (key !== secret) throw new TypeError('only html and attributes can make markup')
    this.#place = place
    this.#markup = markup
  }

  /**
   * Returns the markup in a slot if it's safe in this place. Returns undefined for anything else, such as an object that
   * pretends to be markup.
   */
  static read(slot: unknown, place: Place): string | undefined {
    const isMarkup = typeof slot === 'object' && slot !== null && #markup in slot
    return isMarkup && slot.#place === place ? slot.#markup : undefined
  }

  toString(): string {
    return this.#markup
  }
}

export type Html = Markup<'text'>

/** Attributes of a tag. */
type Attributes = Markup<'tag'>

/** A value that a slot of `html` can show. False and null show nothing, for `isLate && html'…'`. */
export type Slot = Html | Attributes | string | number | false | null | readonly Slot[]

const placesOf = new WeakMap<TemplateStringsArray, readonly Place[]>()

/**
 * Writes markup, and escapes what its slots contain.
 *
 * @throws {TypeError} for a slot that its place can't show: markup in an attribute, text between attributes
 */
export function html(markup: TemplateStringsArray, ...slots: readonly Slot[]): Html {
  const places = placesOf.get(markup) ?? readPlaces(markup)
  const values = slots.map((slot, index) => toMarkup(slot, places[index] ?? 'unsafe'))
  return new Markup(secret, 'text', String.raw({ raw: markup }, ...values))
}

function readPlaces(markup: TemplateStringsArray): readonly Place[] {
  if (!Object.isFrozen(markup) || !('raw' in markup) || markup.some((piece) => typeof piece !== 'string'))
    throw new TypeError('html is a tag of a template')
  const places = findPlaces(markup)
  if (places.includes('unsafe')) throw new TypeError(`a slot isn't safe in ${markup.join('${…}')}`)
  placesOf.set(markup, places)
  return places
}

/**
 * Writes the attributes of a tag, each with a space before it. True writes only the name; false, null, and undefined leave the
 * attribute out.
 */
export const attributes = (values: Readonly<Record<string, AttributeValue>>): Attributes =>
  new Markup(
    secret,
    'tag',
    Object.entries(values)
      .map(([name, value]) => {
        if (!isTextAttribute(name)) throw new TypeError(`${name} can't be an attribute`)
        if (value === false || value === null || value === undefined) return ''
        if (value === true) return ` ${name}`
        return ` ${name}="${toMarkup(value, isLinkAttribute(name) ? 'link' : 'value')}"`
      })
      .join(''),
  )

type AttributeValue = string | number | boolean | null | undefined

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Matches the links that pages may have: to a path of this service, a part of the page, or another site. */
const openable = /^(?:$|[?#]|\/(?![/\\])|https?:\/\/)/

function toMarkup(slot: Slot, place: Place): string {
  if (slot === false || slot === null) return ''
  if (typeof slot === 'string' && place !== 'tag') {
    if (place === 'link' && !openable.test(slot))
      throw new TypeError('a link must be a path or a web address')
    return slot.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
  }
  if (typeof slot === 'number' && Number.isFinite(slot) && place !== 'tag') return String(slot)
  if (Array.isArray(slot)) return Array.from(slot as readonly Slot[], (one) => toMarkup(one, place)).join('')
  const written = Markup.read(slot, place)
  if (written === undefined)
    throw new TypeError(`a slot of html can't show this ${typeof slot} in a ${place}`)
  return written
}
