import { describe, expect, it } from '@jest/globals'
import {
  findMissingPhrases,
  getPhrases,
  phraseNames,
  phrasesByLanguage,
} from '../../calling/conversation/phrases/index.ts'
import { toSpokenText } from '../../calling/conversation/spoken-text.ts'
import { newAgentValues } from '../../queue/agents/validate-agent.ts'
import { fillSpokenText } from '../../queue/calls/fill-spoken-text.ts'
import { listGreetingNames } from '../../queue/calls/greeting.ts'

const sentences = Object.entries(phrasesByLanguage).flatMap(([language, phrases]) =>
  phraseNames.map((name) => [language, name, phrases[name]] as const),
)

describe('the sentences of the conversation', () => {
  it('are in English, German, French, and Spanish', () => {
    expect(Object.keys(phrasesByLanguage).sort()).toEqual(['de', 'en', 'es', 'fr'])
    expect(phraseNames).toHaveLength(11)
  })

  it.each(sentences)(
    'can be spoken unchanged, and have at most 200 characters: %s %s',
    (_language, name, text) => {
      if (name !== 'defaultGreeting') expect(listGreetingNames(text, []).names).toEqual([])
      const sentence = fillSpokenText(text, { agentName: 'Ava', campaignName: null, contact: null })
      expect(sentence).toMatch(/^[¿\p{Lu}].*[.?]$/u)
      expect(sentence.length).toBeLessThanOrEqual(200)
      expect(sentence).not.toMatch(/[{}<>]/)
      expect(toSpokenText(sentence)).toBe(sentence)
    },
  )

  it.each(phraseNames)('differ between the languages: %s', (name) => {
    expect(new Set(Object.values(phrasesByLanguage).map((phrases) => phrases[name])).size).toBe(4)
  })

  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['DE-de', 'de'],
    ['es-419', 'es'],
    ['en-US', 'en'],
    ['fr-CA', 'fr'],
  ])('for the language tag %s are those of the language %s', (tag, language) => {
    expect(getPhrases(tag)).toEqual({ phrases: phrasesByLanguage[language], missing: [] })
  })

  it.each(['it-IT', 'constructor', 'den', ''])(
    'for the language “%s” are in English, and count as missing',
    (tag) => {
      expect(getPhrases(tag)).toEqual({ phrases: phrasesByLanguage['en'], missing: phraseNames })
    },
  )

  it("are replaced by the agent's own sentences, unless those are blank", () => {
    const { phrases, missing } = getPhrases('it', { toolFiller: 'Un attimo.', optedOut: ' ' }) // cspell:ignore attimo
    expect(phrases).toEqual({ ...phrasesByLanguage['en'], toolFiller: 'Un attimo.' })
    expect(missing).toEqual(phraseNames.filter((name) => name !== 'toolFiller'))
    expect(getPhrases('de', { toolFiller: 'Moment.' }).phrases.toolFiller).toBe('Moment.')
  })

  it('count as missing only if the agent can say them', () => {
    const agent = { ...newAgentValues, language: 'it', greeting: 'Ciao.', ai_disclosure: false }
    const written = Object.fromEntries(phraseNames.slice(2).map((name) => [name, 'Ciao.']))
    expect(findMissingPhrases({ ...agent, phrases: written })).toEqual([])
    expect(findMissingPhrases({ ...agent, phrases: written, greeting: ' ', ai_disclosure: true })).toEqual([
      'aiDisclosure',
      'defaultGreeting',
    ])
    expect(findMissingPhrases({ ...agent, language: 'fr' })).toEqual([])
  })
})
