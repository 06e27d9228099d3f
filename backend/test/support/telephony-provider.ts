import { setTimeout as delay } from 'node:timers/promises'
import type { TelephonyProvider } from '../../calling/telephony/provider.ts'

/** Creates a telephony provider that the test controls. By default, its calls are answered and never end. */
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

/** Returns a promise that never settles. It doesn't keep the process running. */
export const neverSettle = () => new Promise<never>(() => {})

/** Simulates a short conversation that ends by itself. */
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
