import { describe, expect, it } from '@jest/globals'
import { fillScenarioText } from '../../calling/telephony/simulated/scenarios.ts'
import {
  describePlaceholderIssues,
  findMissingNames,
  listGreetingNames,
  resolveFallbacks,
} from '../../queue/calls/greeting.ts'
import { dialRequestOf } from '../support/dial-request.ts'

const contact = {
  first_name: 'Maya',
  last_name: null,
  variables: { day: 'Monday', blank: ' ', braces: '{{day}} }} {' },
}

describe('a placeholder', () => {
  it.each([
    '{{name}}',
    '{{ name }}',
    '{{name|there}}',
    '{{ name | over there }}',
    '{{day}} {{day|soon}}',
    'Hi',
  ])('can be written as in “%s”', (greeting) =>
    expect(describePlaceholderIssues(greeting, ['day'])).toBeNull(),
  )

  it.each([
    ['{{first_name, this is Ava', '{{first_name, this is Ava'],
    ['Hi {{}}', '{{}}'],
    ['Hi {first_name}', '{first_name}'],
    ['Hi {{first_name}', '{{first_name}'],
    ['Hi {first_name}}', '{first_name}}'],
    ['Hi {{{name}}}', '{{{name}}}'],
    ['Hi {{last name}}', '{{last name}}'],
    ['Hi {{café}}', '{{café}}'],
    ['Hi first_name}}', '}}'],
    ['Hi {{name|a|b}}', '{{name|a|b}}'],
    ['Hi {{name|{there}', '{{name|'],
    ['Hi {{name|{{day}}}}', '{{name|'],
  ])('is malformed in “%s”', (greeting, quoted) => {
    expect(listGreetingNames(greeting, ['day']).malformed[0]).toBe(quoted)
    expect(describePlaceholderIssues(greeting, ['day'])).toContain(`“${quoted}”`)
  })

  it('needs a text after its “|”, if it has one', () => {
    expect(describePlaceholderIssues('Hi {{name|}}, your {{ day | }}', ['day'])).toBe(
      'The fallback of “{{name|}}” and “{{ day | }}” is blank. After the “|”, write what the agent says instead, or remove the “|”.',
    )
    expect(describePlaceholderIssues('Hi {{name|}} {day}', ['day'])).toContain("“{day}” isn't a placeholder.")
  })

  it('that is malformed is quoted in an error that says how to write placeholders', () => {
    expect(describePlaceholderIssues('Hi {{first_name, {{ last name }} {{}} {first_name}', [])).toBe(
      "“{{first_name,”, “{{ last name }}”, “{{}}”, and “{first_name}” aren't placeholders. Write a name in two braces on each side, for example {{first_name}} or {{first_name|there}}.",
    )
  })

  it("must be built in or one of the agent's variables, unless it has a fallback", () => {
    expect(describePlaceholderIssues('{{name}}, come by {{day|soon}}.', [])).toBeNull()
    expect(describePlaceholderIssues('{{name}}: your {{appointment}} on {{day}}', [])).toBe(
      "{{appointment}} and {{day}} aren't listed under Variables. Add appointment and day to Variables, or correct the names.",
    )
    expect(describePlaceholderIssues('{{__proto__}} {{constructor}}', [])).toContain('{{constructor}}')
  })
})

describe('a fallback', () => {
  it.each([
    ['{{day|soon}}', '{{day}}'],
    ['{{ day | soon }}', '{{day}}'],
    ['{{city|your town}}', 'your town'],
    ['{{blank|nothing}}', 'nothing'],
    ['{{last_name|there}} {{name|there}}', 'there {{name}}'],
    ['{{agent|x}} {{campaign|x}} {{topic|your roof}}', '{{agent}} {{campaign}} your roof'],
    ['{{constructor|x}}', 'x'],
    ['{{city}} {{ day }}', '{{city}} {{ day }}'],
    ['{{city|name}} {{', 'name {{'],
    ['{{{city|name}}}', '{{{city|name}}}'],
    ['{{city|$&}}', '$&'],
  ])('is resolved: “%s” becomes “%s”', (greeting, resolved) =>
    expect(resolveFallbacks(greeting, contact)).toBe(resolved),
  )

  it('is removed if the contact has a value, but the placeholder stays, in case the value contains braces', () => {
    expect(resolveFallbacks('{{braces|x}}', contact)).toBe('{{braces}}')
  })
})

it('the simulated agent says a greeting with resolved fallbacks and without braces', () => {
  const greeting = 'Hi {{last_name|there}}, your {{braces}} is on {{day|soon}} in {{city|your town}}.'
  const say = (text: string) =>
    fillScenarioText(
      '{{greeting}}',
      dialRequestOf({
        agent: { greeting: text },
        contact: { firstName: contact.first_name, lastName: contact.last_name, variables: contact.variables },
      }),
    )
  expect(say(resolveFallbacks(greeting, contact))).toBe('Hi there, your day is on Monday in your town.')
})

it('finds the names in a greeting that have neither a value nor a fallback', () => {
  const greeting =
    'Hi {{first_name}} {{last_name}} {{name}}, {{agent}} about {{topic}}, {{day}}, {{blank}}, {{city}}, {{city}}, {{zip|x}}'
  expect(findMissingNames(greeting, contact)).toEqual(['last_name', 'blank', 'city'])
  expect(findMissingNames('', contact)).toEqual([])
})
