/** Markup that is safe to send: only `html` and `attributes` make it (docs/decisions/0048-pages-as-functions.md). */
class Html {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

export type { Html }

/** What a slot of `html` shows. False and null show nothing, for `isLate && html'…'`. */
export type Slot = Html | string | number | false | null | readonly Slot[]

/** Writes markup, and escapes what its slots contain. */
export const html = (markup: TemplateStringsArray, ...slots: readonly Slot[]): Html =>
  new Html(String.raw({ raw: markup }, ...slots.map(toMarkup)))

/**
 * Writes the attributes of a tag, each with a space before it. True writes only the name; false, null, and undefined leave the
 * attribute out.
 */
export const attributes = (values: Readonly<Record<string, AttributeValue>>): Html =>
  new Html(
    Object.entries(values)
      .map(([name, value]) => {
        if (value === false || value === null || value === undefined) return ''
        return value === true ? ` ${name}` : ` ${name}="${toMarkup(value)}"`
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

function toMarkup(slot: Slot): string {
  if (slot instanceof Html) return slot.toString()
  if (typeof slot === 'string') return slot.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
  if (typeof slot === 'number' && Number.isFinite(slot)) return String(slot)
  if (slot === false || slot === null) return ''
  if (Array.isArray(slot)) return slot.map(toMarkup).join('')
  throw new TypeError(`a slot of html shows text, a number, or markup, not ${String(slot)}`)
}
