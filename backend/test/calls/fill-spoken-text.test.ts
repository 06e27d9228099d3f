import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { fillSpokenText } from '../../queue/calls/fill-spoken-text.ts'

const call = {
  agentName: 'Ava, scheduling',
  campaignName: null,
  contact: {
    first_name: 'Maya',
    last_name: null,
    variables: { day: ' Monday\nmorning ', braces: '{{day}} }} {' },
  },
}

// cspell:ignore Guten Frau hier ist
describe('a spoken text', () => {
  it.each([
    ['Hi {{first_name}}, this is {{agent}}.', 'Hi Maya, this is Ava.'],
    ['Hi {{last_name|there}}, see you {{day|soon}}.', 'Hi there, see you Monday morning.'],
    ['Hi {{last_name}}, this is {{agent}} from {{campaign}}.', 'Hi, this is Ava from.'],
    ['{{last_name}}, is this about {{topic}}?', 'Is this about your request?'],
    ['About {{topic|the roof}}.', 'About the roof.'],
    ['Guten Tag, Frau {{last_name}}, hier ist {{agent}}.', 'Guten Tag, Frau, hier ist Ava.'],
    ['{{last_name}}', ''],
    ['', ''],
    ['Your {{braces}} value', 'Your day value'],
  ])('contains the values of the call: “%s”', (text, spoken) =>
    expect(fillSpokenText(text, call)).toBe(spoken),
  )

  it.each([
    ['Hi {first_name}, hello.', 'Hi, hello.'],
    ['Hi {{first name}}, hello.', 'Hi, hello.'],
    ['Hi {{first_name, hello.', 'Hi, hello.'],
    ['Hi {{ name | friend, hello.', 'Hi friend, hello.'],
    ['Hi first_name}}, hello.', 'Hi first_name, hello.'],
    ['Hi {{}} there {{', 'Hi there'],
  ])('leaves out malformed placeholders: “%s”', (text, spoken) =>
    expect(fillSpokenText(text, call)).toBe(spoken),
  )

  it('contains fallbacks if there is no contact', () => {
    const text = 'Hi {{name|there}}, it is {{agent}}, {{day}}.'
    expect(fillSpokenText(text, { ...call, contact: null })).toBe('Hi there, it is Ava.')
  })

  it('never contains braces, whatever the text and the values are', () => {
    const part = fc.constantFrom('{', '}', '{{', '}}', '{{day}}', '{{day|', '|', 'day', ' ', '.', '\n', '\0')
    const text = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, (greeting, day) => {
        const contact = { first_name: day, last_name: day, variables: { day } }
        expect(fillSpokenText(greeting, { ...call, contact })).not.toMatch(/[{}]/)
      }),
    )
  })
})
