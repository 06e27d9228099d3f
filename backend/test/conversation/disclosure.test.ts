import { expect, it } from '@jest/globals'
import { withDisclosure } from '../../calling/conversation/disclosure.ts'
import { phrasesByLanguage } from '../../calling/conversation/phrases/index.ts'

const disclosure = "I'm an AI assistant."

it.each([
  ['Hello, this is Ava.', "Hello, this is Ava. I'm an AI assistant."],
  [
    'Hello, this is Ava. Do you have a minute?',
    "Hello, this is Ava. I'm an AI assistant. Do you have a minute?",
  ],
  ['Hi! It is 9.30. Ready? Now?', "Hi! It is 9.30. Ready? I'm an AI assistant. Now?"],
  ['Hello, is this Mr. Okafor?', "I'm an AI assistant. Hello, is this Mr. Okafor?"],
  ['Good day. Is this Dr. J. Okafor?', "Good day. I'm an AI assistant. Is this Dr. J. Okafor?"],
  ['你好。现在方便吗？', "你好。 I'm an AI assistant. 现在方便吗？"],
  ['', disclosure],
])(
  'the AI disclosure is said at the end of a greeting, or before the question that ends it: “%s”',
  (greeting, said) => {
    expect(withDisclosure(greeting, disclosure, 'agent')).toBe(said)
  },
)

it('the AI disclosure comes before the greeting if the contact has spoken first', () => {
  expect(withDisclosure('Ava here.', disclosure, 'contact')).toBe("I'm an AI assistant. Ava here.")
  expect(withDisclosure('', disclosure, 'contact')).toBe(disclosure)
})

it.each([
  "Hi. I'm an AI assistant. OK?",
  'Hi, I\u2019m an  ai-assistant of Northwind.',
  'IM AN AI ASSISTANT',
])("the AI disclosure isn't added to the greeting “%s”, which already contains it", (greeting) => {
  expect(withDisclosure(greeting, disclosure, 'agent')).toBe(greeting)
  expect(withDisclosure(greeting, disclosure, 'contact')).toBe(greeting)
})

it("the AI disclosure isn't said if the agent's setting for it is off", () => {
  expect(withDisclosure(' Hello. ', ' ', 'agent')).toBe('Hello.')
})

it.each(Object.entries(phrasesByLanguage))(
  'the AI disclosure comes after a complete sentence of the default greeting: %s',
  (_language, phrases) => {
    const said = withDisclosure(phrases.defaultGreeting, phrases.aiDisclosure, 'agent')
    expect(said).toMatch(new RegExp(`^\\S.*\\. ${phrases.aiDisclosure}( .*\\?)?$`, 'u'))
  },
)
