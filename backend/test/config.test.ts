import { expect, it } from '@jest/globals'
import { parseConfig } from '../config.ts'

it.each([
  [{ LINE: 'simulated' }, 'LINE is now called TELEPHONY: rename the variable.'],
  [{ LINE_SPEED: '1' }, 'LINE_SPEED is now called SIMULATION_SPEED: rename the variable.'],
  [
    { LINE: 'simulated', LINE_SPEED: '1' },
    'LINE is now called TELEPHONY: rename the variable.\nLINE_SPEED is now called SIMULATION_SPEED: rename the variable.',
  ],
  [{ LINE: 'simulated', TELEPHONY: 'simulated' }, 'LINE is now called TELEPHONY: rename the variable.'],
])('names the new variable for %j', (environment, message) => {
  expect(() => parseConfig(environment)).toThrow(message)
})

it('takes an old name without a value for unset', () => {
  expect(parseConfig({ LINE: '', LINE_SPEED: '', SIMULATION_SPEED: '50' })).toMatchObject({
    telephony: 'simulated',
    simulationSpeed: 50,
  })
})
