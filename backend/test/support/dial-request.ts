import type { DialRequest } from '../../calling/telephony/provider.ts'

type Values = Partial<Omit<DialRequest, 'agent' | 'contact'>> & {
  agent?: Partial<DialRequest['agent']>
  contact?: Partial<DialRequest['contact']>
}

/** Returns the dial request that a telephony provider gets for a call attempt. */
export const dialRequestOf = ({ agent, contact, ...values }: Values = {}): DialRequest => ({
  attemptId: '0b0e2a56-1f0c-4a53-9a6c-1d2b3c4d5e6f',
  callId: 1,
  number: 1,
  fromNumber: '+12025550190',
  toNumber: '+12025550100',
  campaignName: 'Leads',
  scheduled: false,
  ...values,
  agent: {
    widgetId: 'b4a1c1de-8b7c-4c8e-9a54-6d1f6a1f2b3c',
    version: 1,
    name: 'Ava',
    language: 'en-US',
    greeting: '',
    instructions: '',
    speaksFirst: 'agent',
    goal: '',
    results: [],
    model: null,
    maxMinutes: 10,
    closingLine: '',
    aiDisclosure: true,
    ...agent,
  },
  contact: { firstName: null, lastName: null, variables: {}, ...contact },
})
