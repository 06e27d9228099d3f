import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type DefaultTreeAdapterTypes, parse, parseFragment } from 'parse5'
import { attributes, html, type Slot } from '../../platform/views/html.ts'

type Node = DefaultTreeAdapterTypes.ChildNode

/** Returns the element that a browser creates from the markup. Throws unless it's a single element. */
function readElement(markup: string) {
  const { childNodes } = parseFragment(markup)
  const [element] = childNodes
  if (childNodes.length !== 1 || element === undefined || !('attrs' in element))
    throw new Error('not one element')
  return element
}

const readText = (node: Node): string => {
  if ('value' in node) return node.value
  return 'childNodes' in node ? node.childNodes.map(readText).join('') : ''
}

/** Generates texts with HTML's special characters and any others, except those that browsers replace, such as null. */
const Text = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('<', '>', '&', '"', "'", '=', '`', '/', ' ', 'a', ';', '#', '-', '!'),
    }),
  )
  .filter((text) => !/[\0\r]|[\uD800-\uDFFF]/.test(text))

/** Generates a slot together with the text that the slot shows. */
const { slot: SlotWithText } = fc.letrec<{ slot: { slot: Slot; text: string } }>((tie) => ({
  slot: fc.oneof(
    { maxDepth: 4 },
    Text.map((text) => ({ slot: text, text })),
    fc
      .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
      .map((number) => ({ slot: number, text: String(number) })),
    fc.constantFrom<Slot>(false, null).map((slot) => ({ slot, text: '' })),
    tie('slot').map(({ slot, text }) => ({ slot: html`<b>${slot}</b>`, text })),
    fc.array(tie('slot')).map((slots) => ({
      slot: slots.map(({ slot }) => slot),
      text: slots.map(({ text }) => text).join(''),
    })),
  ),
}))

describe('html', () => {
  it('shows every value unchanged in text, in quoted attributes, and in nested templates', () => {
    fc.assert(
      fc.property(SlotWithText, Text, ({ slot, text }, value) => {
        const element = readElement(String(html`<i title="${value}" lang='${value}'>${slot}</i>`))

        expect(element.attrs).toEqual([
          { name: 'title', value },
          { name: 'lang', value },
        ])
        expect(readText(element)).toBe(text)
      }),
      { numRuns: 2_000 },
    )
  })

  it('never turns text into an element', () => {
    fc.assert(
      fc.property(Text, (text) => {
        expect(
          parseFragment(String(html`${text}`)).childNodes.filter((node) => node.nodeName !== '#text'),
        ).toEqual([])
      }),
    )
  })

  it.each([
    ['undefined', undefined],
    ['true', true],
    ['NaN', NaN],
    ['infinity', Infinity],
    ['an object', { toString: () => '<b>' }],
    [
      'an object that pretends to be markup',
      { __proto__: Object.getPrototypeOf(html`<b></b>`) as object, toString: () => '<b>' },
    ],
    ['attributes', attributes({ title: 'a' })],
    ['a list with a hole', Array(1)],
    ['a list with undefined', ['a', undefined]],
    ['a date', new Date(0)],
    ['a function', () => 'text'],
  ])('throws instead of showing %s', (_, slot) => {
    expect(() => html`<p>${slot as Slot}</p>`).toThrow(TypeError)
  })
})

it.each([
  ['in an attribute', () => html`<i title="${html`<b title="a">`}"></i>`],
  ['in a tag', () => html`<i ${html`title="a"`}></i>`],
])('html throws if markup is inserted %s', (_, write) => {
  expect(write).toThrow(TypeError)
})

it.each([
  ['a script', () => html`<script>go(${'a'})</script>`],
  ['an unquoted attribute', () => html`<i title=${'a'}></i>`],
  ['a tag', () => html`<i ${'a'}></i>`],
  ['a tag that never ends', () => html`<i title="${'a'}`],
  ['an invalid escape', () => html`\u{zz}${'a'}`],
  ['a list instead of a template', () => html(['<b>', '</b>'] as never, 'a')],
  ['its own constructor', () => new (html`<b></b>`.constructor as new (markup: string) => unknown)('<b>')],
])('html throws if a template is misused: %s', (_, write) => {
  expect(write).toThrow(TypeError)
})

describe('a link', () => {
  it.each(['', '/calls', '/calls?a=//b', '?page=2', '#main', 'https://example.com/a', 'http://example.com'])(
    'can be %j',
    (link) => {
      expect(readElement(String(html`<a href="${link}"></a>`)).attrs).toEqual([{ name: 'href', value: link }])
      expect(readElement(String(html`<a${attributes({ href: link })}></a>`)).attrs).toEqual([
        { name: 'href', value: link },
      ])
    },
  )

  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'JAVASCRIPT:a',
    'data:text/html,a',
    '//example.com',
    '/\\example.com',
    'https:a',
    'calls',
  ])("can't be %j", (link) => {
    expect(() => html`<a href="${link}"></a>`).toThrow(TypeError)
    expect(() => html`<button formaction='${link}'></button>`).toThrow(TypeError)
    expect(() => attributes({ 'hx-get': link })).toThrow(TypeError)
  })
})

describe('attributes', () => {
  it.each(['onclick', 'ONCLICK', 'style', 'srcdoc', 'hx-on:click', 'a b', 'a=b', 'x onclick', '1', ''])(
    "can't have the name %j",
    (name) => {
      expect(() => attributes({ [name]: 'a' })).toThrow(TypeError)
    },
  )

  it("can't have markup or a list as a value", () => {
    expect(() => attributes({ title: html`<b></b>` as never })).toThrow(TypeError)
    expect(() => attributes({ title: { toString: () => 'a' } as never })).toThrow(TypeError)
  })

  it('keep every text unchanged', () => {
    fc.assert(
      fc.property(Text, Text, (one, other) => {
        const element = readElement(String(html`<i${attributes({ title: one, lang: other })}></i>`))

        expect(element.attrs).toEqual([
          { name: 'title', value: one },
          { name: 'lang', value: other },
        ])
      }),
    )
  })

  it("have only a name if the value is true, and are left out if it's false, null, or undefined", () => {
    const values = { required: true, hidden: false, title: null, lang: undefined, maxlength: 0 }

    expect(String(html`<i${attributes(values)}></i>`)).toBe('<i required maxlength="0"></i>')
  })
})

it('html can write a whole page, including the doctype', () => {
  const page = html`<!doctype html><title>${'<1>'}</title>`

  expect(parse(String(page)).childNodes.map(({ nodeName }) => nodeName)).toEqual(['#documentType', 'html'])
})
