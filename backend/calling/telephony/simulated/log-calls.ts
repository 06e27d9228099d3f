import type { Logger } from 'pino'
import type { TelephonyProvider } from '../provider.ts'

/**
 * Logs when a simulated call starts to ring and when it's over, at the level `debug`. This record of the calls doesn't depend
 * on the database, so the crash test compares it with the database.
 */
export const logCalls = (provider: TelephonyProvider, log: Logger): TelephonyProvider => ({
  ...provider,
  dial: async (request, controls) => {
    const call = { attempt: request.attemptId, call: request.callId }
    log.debug(call, 'simulated call started')
    try {
      return await provider.dial(request, controls)
    } finally {
      log.debug(call, 'simulated call ended')
    }
  },
})
