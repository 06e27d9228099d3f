import { describe, expect, it } from '@jest/globals'
import type { DialRequest } from '../../../calling/telephony/provider.ts'
import { pickScenario } from '../../../calling/telephony/simulated/pick-scenario.ts'
import {
  fillScenarioText,
  optOut,
  type Scenario,
  scenarios,
} from '../../../calling/telephony/simulated/scenarios.ts'
import type { SimulatedAgent } from '../../../calling/telephony/simulated/simulated-agent.ts'
import { createSimulatedProvider } from '../../../calling/telephony/simulated/simulated-provider.ts'
import { toToolStep } from '../../../calling/telephony/simulated/tool-steps.ts'
import { ManualClock } from '../../support/clock.ts'
import { dialRequestOf } from '../../support/dial-request.ts'

type Contact = DialRequest['contact']

const dialRequest = (toNumber: string, contact: Partial<Contact>, greeting = ''): DialRequest =>
  dialRequestOf({ toNumber, agent: { greeting }, campaignName: 'Demo: new leads', contact })

/** Returns a number whose contact answers and plays the scenario. */
function numberFor(scenario: Scenario): string {
  for (let index = 100; index < 9999; index += 1) {
    const number = `+1202555${String(index).padStart(4, '0')}`
    const picked = pickScenario(dialRequest(number, {}))
    if (picked.behavior === 'answers' && picked.scenario === scenario) return number
  }
  throw new Error('no number plays this scenario')
}

/** Makes a call. Returns all texts in its transcript, its analysis, and the arguments of its tools. */
async function makeCall(request: DialRequest) {
  const clock = new ManualClock()
  const toolArguments: Record<string, unknown>[] = []
  const agent: SimulatedAgent = {
    join: (_, conversation) => ({
      act: (intent) => {
        const step = toToolStep(intent, { ...conversation, timeZone: 'UTC' })
        toolArguments.push(step.args)
        return Promise.resolve({ text: step.successText, succeeded: true })
      },
      leave: () => Promise.resolve(),
    }),
  }
  const provider = createSimulatedProvider(clock, Infinity, agent)
  const { signal } = new AbortController()
  const controls = {
    signal,
    ringTimeout: signal,
    detached: signal,
    onAnswer: () => {},
    onAcceptance: () => {},
  }
  const result = await provider.dial(request, controls)
  const transcript = 'transcript' in result ? result.transcript : []
  const analysis = await provider.analyze(request, transcript, signal)
  const summary = result.outcome === 'voicemail' ? result.summary : analysis?.summary
  return { transcript, summary: summary ?? '', toolArguments }
}

const names = [{ firstName: 'Sam' }, { lastName: 'Okafor' }, {}, { firstName: '', lastName: '' }]
const variables: Record<string, string>[] = [
  { product: 'a roof inspection' },
  { topic: 'windows' },
  {},
  { product: ' ' },
]
const greetings = [
  '',
  "Hi {{first_name}}, this is {{agent}}. I'm calling about {{topic}}. Do you have a minute?",
]
const combinations = names.flatMap((name) =>
  variables.flatMap((values) =>
    greetings.map((greeting) => ({ contact: { ...name, variables: values }, greeting })),
  ),
)

const sentences = /^(\p{Lu}[^.?!]*(\.\d[^.?!]*)*[.?!] ?)+$/u
const broken = /\{\{|\}\}|\s{2}|\s[.,;:!?]|[,:;][.,;:!?]|,$|\bthere\b|\b(?:about|in|of|to)[.,;:?!]/i

const numbers: [string, string][] = [
  ...[optOut, ...scenarios].map((each): [string, string] => [each.summary, numberFor(each)]),
  ['voicemail', '+12025550103'],
]

/** Returns the texts in a tool's arguments, at any depth. */
const textsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

describe.each(numbers)('The scenario “%s”', (_, number) => {
  it.each(combinations)(
    'has only complete sentences and no unfilled placeholders for the contact and greeting %j',
    async ({ contact, greeting }) => {
      const { transcript, summary, toolArguments } = await makeCall(dialRequest(number, contact, greeting))
      const spoken = transcript.filter(({ role }) => role !== 'tool').map(({ text }) => text)
      expect(spoken.length).toBeGreaterThan(0)
      const notes = toolArguments.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
      for (const text of [...spoken, summary, ...notes]) expect(text).toMatch(sentences)
      const otherTexts = [...transcript.map(({ text }) => text), ...toolArguments.flatMap(textsOf)]
      for (const text of [...spoken, summary, ...notes, ...otherTexts]) expect(text).not.toMatch(broken)
    },
  )
})

/** Makes a call to a contact with these values. Returns what the agent says, and then the summary and the tools' arguments. */
async function readCall(scenario: Scenario | undefined, contact: Partial<Contact>) {
  if (scenario === undefined) throw new Error('no such scenario')
  const greeting = "Hi {{first_name}}, this is {{agent}}. I'm calling about {{topic}}. Do you have a minute?"
  const { transcript, summary, toolArguments } = await makeCall(
    dialRequest(numberFor(scenario), contact, greeting),
  )
  const agentTurns = transcript.filter(({ role }) => role === 'agent').map(({ text }) => text)
  return { agentTurns, summary, toolArguments: JSON.stringify(toolArguments) }
}

const [interested, notNow, callbackRequest, wrongPerson, needsPrice] = scenarios

it('leaves the name out of the greeting, the closing, and the spreadsheet row if the contact has no name', async () => {
  const { agentTurns, summary, toolArguments } = await readCall(interested, {})
  expect(agentTurns[0]).toBe("Hi, this is Ava. I'm calling about your request. Do you have a minute?")
  expect(agentTurns.at(-1)).toBe('Thank you. Goodbye.')
  expect(summary).toBe(
    'The contact is interested in the offer and asked for an appointment on Thursday morning.',
  )
  expect(toolArguments).toContain('"values":{"name":"","result":"Appointment on Thursday morning"}')
  expect(toolArguments).toContain('"query":"appointment times"')
})

it("uses the contact's name and product in what the agent says and in the summary", async () => {
  const contact = { firstName: 'Sam', variables: { product: 'windows' } }
  const { agentTurns, summary, toolArguments } = await readCall(notNow, contact)
  expect(agentTurns).toEqual([
    "Hi Sam, this is Ava. I'm calling about windows. Do you have a minute?",
    'I understand. May I ask again about windows later this year?',
    "Then I won't keep you. Have a good day, Sam.",
  ])
  expect(summary).toBe('Sam chose another provider and might be interested in windows in the fall.')
  expect(toolArguments).toContain('Chose another provider. Might be interested in windows in the fall.')
})

it('promises a callback even if the contact has no name', async () => {
  const { agentTurns, summary } = await readCall(callbackRequest, { variables: { product: 'windows' } })
  expect(agentTurns.at(-1)).toBe("Tomorrow after four. I'll call you then.")
  expect(summary).toBe('The contact was in a meeting and asked to be called back tomorrow after four.')
})

it('notes that the number is wrong even if the contact has no name', async () => {
  const { summary, toolArguments } = await readCall(wrongPerson, {})
  expect(summary).toBe("The number doesn't belong to the contact. Someone else answered.")
  expect(toolArguments).toContain("Wrong number: it doesn't belong to the contact.")
})

it('offers a quote for “your request” if the contact has a name but no product', async () => {
  const { agentTurns, summary } = await readCall(needsPrice, { firstName: 'Sam' })
  expect(agentTurns[1]).toBe(
    'That depends on the size. I can have a quote for your request sent to you today.',
  )
  expect(summary).toBe('Sam asked for a quote for two people, by email.')
})

it('leaves a voicemail message even if the contact has no name and no product', async () => {
  const { transcript, summary } = await makeCall(dialRequest('+12025550103', {}))
  expect(transcript[0]?.text).toMatch(/^Hello, this is Ava about your request\. I'll try again later\./)
  expect(summary).toBe('Reached voicemail and left a message about the offer.')
})

const written: [greeting: string, spoken: string][] = [
  ['Hello {{first_name}}!', 'Hello!'],
  ['Hello {{first_name}} {{last_name}}, this is {{agent}}.', 'Hello, this is Ava.'],
  ['{{first_name}}, do you have a minute?', 'Do you have a minute?'],
  ['Good morning. {{ first_name }}, do you have a minute?', 'Good morning. Do you have a minute?'],
  ['Is this a good time, {{name}}?', 'Is this a good time?'],
  ['Your {{unknown}} appointment is due.', 'Your appointment is due.'],
  ['Hello, {{name}}, this is {{agent}} from {{campaign}}.', 'Hello, this is Ava from Demo: new leads.'],
]

it.each(written)('leaves placeholders that have no value out of the greeting “%s”', (greeting, spoken) => {
  expect(fillScenarioText('{{greeting}}', dialRequest('+12025550100', {}, greeting))).toBe(spoken)
})
