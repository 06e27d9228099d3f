import type { Rule } from 'eslint'
import type { Expression, TaggedTemplateExpression } from 'estree'

/** What a browser would read next. */
type Place =
  | 'text'
  | 'tag start'
  | 'tag name'
  | 'tag'
  | 'attribute name'
  | 'value start'
  | 'value'
  | 'unquoted value'
  | 'script'
  | 'comment'

/** Elements whose content is code. */
const codeElements = ['script', 'style']

/** Attributes whose value is code, as a pattern. */
const codeAttributes = /^(?:on.*|style|srcdoc)$/

/** Reads markup as the HTML standard's tokenizer does, as far as our markup needs it. */
class MarkupReader {
  place: Place = 'text'
  /** The name of the attribute that was read last. */
  attribute = ''
  #element = ''
  #isEnd = false
  #quote = ''

  read(markup: string): void {
    for (const character of markup) this.#readCharacter(character)
  }

  /** Goes on after a slot that wrote attributes. */
  skipAttributes(): void {
    this.place = 'tag'
  }

  #readCharacter(character: string): void {
    const isSpace = /\s/.test(character)
    switch (this.place) {
      case 'text':
        if (character === '<') this.place = 'tag start'
        break
      case 'tag start':
        this.#isEnd = character === '/'
        this.#element = this.#isEnd ? '' : character.toLowerCase()
        if (character === '!') this.place = 'comment'
        else this.place = /[a-z/]/i.test(character) ? 'tag name' : 'text'
        break
      case 'comment':
        if (character === '>') this.place = 'text'
        break
      case 'tag name':
        if (isSpace || character === '/') this.place = 'tag'
        else if (character === '>') this.#endTag()
        else this.#element += character.toLowerCase()
        break
      case 'tag':
        if (character === '>') this.#endTag()
        else if (!isSpace && character !== '/') {
          this.place = 'attribute name'
          this.attribute = character.toLowerCase()
        }
        break
      case 'attribute name':
        if (character === '>') this.#endTag()
        else if (character === '=') this.place = 'value start'
        else if (isSpace) this.place = 'tag'
        else this.attribute += character.toLowerCase()
        break
      case 'value start':
        if (isSpace) break
        this.place = character === '"' || character === "'" ? 'value' : 'unquoted value'
        this.#quote = character
        break
      case 'value':
        if (character === this.#quote) this.place = 'tag'
        break
      case 'unquoted value':
        if (character === '>') this.#endTag()
        else if (isSpace) this.place = 'tag'
        break
      case 'script':
        if (character === '<') this.place = 'tag start'
        break
    }
  }

  #endTag(): void {
    this.place = !this.#isEnd && codeElements.includes(this.#element) ? 'script' : 'text'
  }
}

const isAttributesCall = (slot: Expression): boolean =>
  slot.type === 'CallExpression' && slot.callee.type === 'Identifier' && slot.callee.name === 'attributes'

/**
 * Rejects slots of `html` where escaping isn't enough: unquoted attributes, names, event handlers, `style`, and `script`. Between
 * attributes, only `attributes(…)` can be a slot.
 */
export const htmlSlotsRule: Rule.RuleModule = {
  meta: {
    schema: [],
    messages: {
      unsafe:
        "A slot of html can't be here: {{place}}. Escaping makes text and quoted attributes safe, and attributes(…) the rest.",
    },
  },
  create: (context) => ({
    'TaggedTemplateExpression[tag.name="html"]': ({ quasi }: TaggedTemplateExpression) => {
      const reader = new MarkupReader()
      quasi.expressions.forEach((slot, index) => {
        reader.read(quasi.quasis[index]?.value.cooked ?? '')
        const { place, attribute } = reader
        const isInTag = place === 'tag name' || place === 'tag' || place === 'attribute name'
        if (isInTag && isAttributesCall(slot)) reader.skipAttributes()
        else if (place === 'value' && codeAttributes.test(attribute))
          context.report({ node: slot, messageId: 'unsafe', data: { place: attribute } })
        else if (place !== 'text' && place !== 'value')
          context.report({ node: slot, messageId: 'unsafe', data: { place } })
      })
    },
  }),
}
