import { setTimeout as delay } from 'node:timers/promises'
import type { TelephonyProvider } from '../../telephony/provider.ts'

/** A line in the hands of the test. What it does not say, it does like somebody who talks without end. */
export const createTestProvider = (overrides: Partial<TelephonyProvider> = {}): TelephonyProvider => ({
  name: 'simulated',
  resumable: false,
  speed: 1,
  dial: (_, { onAnswer }) => {
    onAnswer()
    return neverSettle()
  },
  analyze: () => Promise.resolve({ summary: 'Talked.', sentiment: 'neutral', goalMet: null, extracted: {} }),
  ...overrides,
})

/** Never resolves, and keeps nothing alive. */
export const neverSettle = () => new Promise<never>(() => {})

/** A short talk that both sides end. */
export const shortConversation: TelephonyProvider['dial'] = async (_, { onAnswer }) => {
  onAnswer()
  await delay(1)
  return {
    outcome: 'answered',
    endedReason: 'agent_hung_up',
    transcript: [],
    recordingUrl: null,
    optedOut: false,
  }
}
