// cspell:ignore cadmin cret fadmin
import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { fillTemplate, InvalidArgumentError, parseTemplate } from '../../../tools/custom/url-template.ts'
import { anyCharacter } from '../../support/schema-arbitraries.ts'

const parse = (url: string) => {
  const template = parseTemplate(url)
  if (template === undefined) throw new Error(`no template: ${url}`)
  return template
}

it.each([
  'ftp://example.com/',
  'https://{host}/',
  'https://api.{domain}.com/',
  'https://example.com:{port}/',
  'https://user@example.com/',
  'https://example.com\\@other.example/',
  '//example.com/',
  'example.com/{a}',
  '{url}',
  'https://example.com/{a',
  'https://example.com/a}',
  'https://example.com/{a b}',
  'https://example.com/{{a}}',
  'https://example.com/{{secret.KEY}}',
  'https://{{secret.HOST}}/',
  'https://example.com/?{a}=1',
  'https://example.com/?=1',
  'https://example.com/#{a}',
  'https://example.com/%{a}',
  'https://example.com/%4{a}',
  'https://example.com/%ff{a}',
  'https://example.com/a b',
  'https://example.com/\0',
  'https://example.com/\ud800',
])('rejects %j as a template', (url) => {
  expect(parseTemplate(url)).toBeUndefined()
})

it.each<[string, Record<string, unknown>, string]>([
  ['https://example.com', {}, 'https://example.com/'],
  [
    'https://example.com/a/{b}/c?d={e}&f=g',
    { b: 'x y', e: 'ü&=#' },
    'https://example.com/a/x%20y/c?d=%C3%BC%26%3D%23&f=g',
  ],
  ['https://example.com/{a}-{b}.json', { a: 1, b: true }, 'https://example.com/1-true.json'],
  ['https://example.com/{a}', { a: 'AB/12' }, 'https://example.com/AB%2F12'],
  ['https://example.com/?a={a}&b={b}', { a: null }, 'https://example.com/'],
  ['https://example.com/?a=%20{a}', { a: '' }, 'https://example.com/?a=%20'],
  ['https://example.com/?key={{secret.KEY}}', {}, 'https://example.com/?key=s%26cret'],
  ['https://example.com/?key={{ secret.KEY }}', {}, 'https://example.com/?key=s%26cret'],
  [
    'https://example.com/{a}?b={b}',
    { a: '{{secret.KEY}}', b: '{{secret.KEY}}' },
    'https://example.com/%7B%7Bsecret.KEY%7D%7D?b=%7B%7Bsecret.KEY%7D%7D',
  ],
])('fills %s with %j', (url, args, filled) => {
  expect(fillTemplate(parse(url), args, { KEY: 's&cret' }).href).toBe(filled)
})

it.each([
  '',
  '.',
  '..',
  '%2e',
  '.%2E',
  '../admin',
  'a/../b',
  '..\\admin',
  '%2e%2e/x',
  '..%2fadmin',
  '..%5cadmin',
  'a%2f%2e%2e%2Fb',
  '%252e%252e',
  '..;',
  '..;a=b/admin',
  {},
  ['a'],
  null,
  undefined,
])('rejects %j as an argument in the path', (value) => {
  const fill = () => fillTemplate(parse('https://example.com/users/{id}/orders'), { id: value }, {})
  expect(fill).toThrow(InvalidArgumentError)
})

it('rejects arguments that together form a dot segment', () => {
  expect(() => fillTemplate(parse('https://example.com/{a}{b}/x'), { a: '.', b: '.' }, {})).toThrow(
    InvalidArgumentError,
  )
  expect(() => fillTemplate(parse('https://example.com/%2e{a}/x'), { a: '.' }, {})).toThrow(
    InvalidArgumentError,
  )
})

const hostile = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({
    unit: fc.constantFrom(
      '/',
      '\\',
      '.',
      '%',
      '2',
      'e',
      'E',
      'f',
      '?',
      '#',
      '&',
      '=',
      '@',
      ':',
      '{',
      '}',
      'secret.KEY',
      ' ',
      '\n',
      '\0',
      '\ud800',
      ';',
      '+',
    ),
  }),
  fc.double(),
  fc.boolean(),
)

it("doesn't let arguments change the host, the path structure, or the names in the query", () => {
  const template = parse('https://api.example.com:8443/v1/{a}/x-{b}/end?c={c}&fixed=1&d=pre{d}')
  fc.assert(
    fc.property(hostile, hostile, hostile, hostile, (a, b, c, d) => {
      let url: URL
      try {
        url = fillTemplate(template, { a, b, c, d }, { KEY: 'never' })
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidArgumentError)
        return
      }
      expect(url.origin).toBe('https://api.example.com:8443')
      expect([url.username, url.password, url.hash]).toEqual(['', '', ''])
      const segments = url.pathname.split('/')
      expect(segments).toHaveLength(5)
      const text = (value: unknown) => String(value).toWellFormed()
      expect(segments.map(decodeURIComponent)).toEqual(['', 'v1', text(a), `x-${text(b)}`, 'end'])
      expect([...url.searchParams]).toEqual([
        ['c', text(c)],
        ['fixed', '1'],
        ['d', `pre${text(d)}`],
      ])
      expect(new URL(url.href).href).toBe(url.href)
    }),
    { numRuns: 2_000 },
  )
})

it('appends an extra query parameter as exactly one parameter, whatever characters it contains', () => {
  const template = parse('https://example.com/?fixed=1')
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (name, value) => {
      const url = fillTemplate(template, {}, {}, [[name, value]])
      expect([...url.searchParams]).toEqual([
        ['fixed', '1'],
        [name.toWellFormed(), value.toWellFormed()],
      ])
    }),
  )
})
