/** The place of a slot in `html`, as a browser would read it. */
export type Place =
  | 'text'
  /** Inside a quoted attribute. */
  | 'value'
  /** The start of a quoted attribute with a URL that browsers or htmx load or open. */
  | 'link'
  /** The space between the attributes of a tag. */
  | 'tag'
  /** A place where escaping isn't enough. */
  | 'unsafe'

/** Attributes whose value is code. */
const codeAttribute = /^(?:on.*|style|srcdoc|hx-on.*|hx-vals|hx-vars)$/
/** Attributes whose value is a URL that browsers or htmx load or open. */
const linkAttribute = /^(?:href|src|action|formaction|hx-(?:get|post|put|patch|delete))$/
const attributeName = /^[a-z][a-z\d:-]*$/

/** Returns true for the name of an attribute whose value can be any text. */
export const isTextAttribute = (name: string): boolean =>
  attributeName.test(name) && !codeAttribute.test(name)

export const isLinkAttribute = (name: string): boolean => linkAttribute.test(name)

/**
 * Returns the place of each slot between these pieces of markup. Reads them like the HTML standard's tokenizer, as far as our
 * markup needs it. Markup that ends within a tag is unsafe as a whole.
 */
export function findPlaces(pieces: readonly string[]): Place[] {
  const reader = new MarkupReader()
  const places = pieces.slice(0, -1).map((piece) => {
    reader.read(piece)
    return reader.startSlot()
  })
  reader.read(pieces.at(-1) ?? '')
  return reader.isInText ? places : ['unsafe']
}

type State =
  | 'text'
  | 'comment'
  | 'script'
  | 'tag start'
  | 'tag name'
  | 'tag'
  | 'attribute name'
  | 'after attribute name'
  | 'value start'
  | 'value'
  | 'unquoted value'

class MarkupReader {
  #state: State = 'text'
  #element = ''
  #isEndTag = false
  #attribute = ''
  #quote = ''
  #valueIsBlank = false
  #comment = ''
  /** The last characters, to find the end of a script. */
  #recent = ''

  get isInText(): boolean {
    return this.#state === 'text'
  }

  /** Returns the place of a slot that begins here. */
  startSlot(): Place {
    const isInTag = ['tag name', 'tag', 'attribute name', 'after attribute name'].includes(this.#state)
    if (isInTag) this.#state = 'tag'
    if (isInTag && !this.#isEndTag) return 'tag'
    if (this.#state === 'text') return 'text'
    if (this.#state !== 'value' || codeAttribute.test(this.#attribute)) return 'unsafe'
    const isLink = this.#valueIsBlank && linkAttribute.test(this.#attribute)
    this.#valueIsBlank = false
    return isLink ? 'link' : 'value'
  }

  read(markup: string): void {
    for (const character of markup) this.#step(character)
  }

  #step(character: string): void {
    this.#recent = (this.#recent + character.toLowerCase()).slice(-8)
    const isSpace = /\s/.test(character)
    switch (this.#state) {
      case 'text':
        if (character === '<') this.#state = 'tag start'
        return
      case 'tag start':
        this.#isEndTag = character === '/'
        this.#element = this.#isEndTag ? '' : character.toLowerCase()
        this.#comment = ''
        if (character === '!') this.#state = 'comment'
        else this.#state = /[a-z/]/i.test(character) ? 'tag name' : 'text'
        return
      case 'comment':
        this.#comment += character
        // Declarations that aren't comments, such as <!doctype>, end with the first bracket.
        if (this.#comment.startsWith('--') ? this.#comment.endsWith('-->') : character === '>')
          this.#state = 'text'
        return
      case 'script':
        if (this.#recent.endsWith(`</${this.#element}`)) {
          this.#isEndTag = true
          this.#state = 'tag name'
        }
        return
      case 'tag name':
        if (character === '>') this.#endTag()
        else if (isSpace || character === '/') this.#state = 'tag'
        else this.#element += character.toLowerCase()
        return
      case 'tag':
      case 'after attribute name':
        if (character === '>') this.#endTag()
        else if (character === '=' && this.#state === 'after attribute name') this.#state = 'value start'
        else if (!isSpace && character !== '/') {
          this.#state = 'attribute name'
          this.#attribute = character.toLowerCase()
        }
        return
      case 'attribute name':
        if (character === '>') this.#endTag()
        else if (character === '=') this.#state = 'value start'
        else if (character === '/') this.#state = 'tag'
        else if (isSpace) this.#state = 'after attribute name'
        else this.#attribute += character.toLowerCase()
        return
      case 'value start':
        if (isSpace) return
        this.#state = character === '"' || character === "'" ? 'value' : 'unquoted value'
        this.#quote = character
        this.#valueIsBlank = true
        return
      case 'value':
        if (character === this.#quote) this.#state = 'tag'
        else if (!isSpace) this.#valueIsBlank = false
        return
      case 'unquoted value':
        if (character === '>') this.#endTag()
        else if (isSpace) this.#state = 'tag'
    }
  }

  #endTag(): void {
    const isCode = !this.#isEndTag && ['script', 'style'].includes(this.#element)
    this.#state = isCode ? 'script' : 'text'
  }
}
