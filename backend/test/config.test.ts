import { describe, expect, it } from '@jest/globals'
import { parseConfig, renamedVariables } from '../config.ts'

it('names the new variables for old ones, unless they have no value', () => {
  renamedVariables.OLD_TELEPHONY = 'TELEPHONY'
  renamedVariables.OLD_SPEED = 'SIMULATION_SPEED'
  try {
    expect(() => parseConfig({ OLD_TELEPHONY: 'http', TELEPHONY: 'simulated', OLD_SPEED: '1' })).toThrow(
      'OLD_TELEPHONY was renamed to TELEPHONY. Rename the variable.\nOLD_SPEED was renamed to SIMULATION_SPEED. Rename the variable.',
    )
    expect(parseConfig({ OLD_TELEPHONY: '', SIMULATION_SPEED: '50' })).toMatchObject({ simulationSpeed: 50 })
  } finally {
    delete renamedVariables.OLD_TELEPHONY
    delete renamedVariables.OLD_SPEED
  }
})

it.each([
  ['is on for a trial', {}, true],
  ['is off on a server, which has its own database', { DATABASE_URL: 'postgres://localhost/outdial' }, false],
  ['is off for a public address', { PUBLIC_URL: 'https://calls.example.com' }, false],
  [
    'is on if the operator says so',
    { DATABASE_URL: 'postgres://localhost/outdial', ALLOW_LOOPBACK_WEBHOOKS: 'true' },
    true,
  ],
])('ALLOW_LOOPBACK_WEBHOOKS %s', (_when, environment, expected) => {
  expect(parseConfig(environment).allowLoopbackWebhooks).toBe(expected)
})

it.each(['3', '1001', 'many', '4.5'])('rejects DATABASE_CONNECTIONS=%s', (value) => {
  expect(() => parseConfig({ DATABASE_CONNECTIONS: value })).toThrow(/^DATABASE_CONNECTIONS: /m)
})

it('rejects a read replica of the embedded database', () => {
  const environment = { DATABASE_READ_URL: 'postgres://replica.example.com/outdial' }
  expect(() => parseConfig(environment)).toThrow('DATABASE_READ_URL needs DATABASE_URL')
})

describe.each(['PUBLIC_URL', 'INTERNAL_URL'])('%s', (name) => {
  it.each([
    'https://calls.example.com/voice',
    'https://calls.example.com/voice/',
    String.raw`https://calls.example.com\voice`,
    'https://calls.example.com?a=b',
    'https://calls.example.com/#a',
    'https://user:password@calls.example.com',
  ])("can't be %s, because Outdial needs a separate host", (url) => {
    expect(() => parseConfig({ [name]: url })).toThrow(
      `${name}: must have only a host, such as https://calls.example.com: Outdial can't be served under a path`,
    )
  })

  it('can end with a slash, which is dropped', () => {
    const { publicUrl, internalUrl } = parseConfig({ [name]: 'https://calls.example.com:8443/' })
    expect([publicUrl, internalUrl]).toContain('https://calls.example.com:8443')
  })
})
