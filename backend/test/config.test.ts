import { describe, expect, it } from '@jest/globals'
import { parseConfig } from '../config.ts'

it.each([
  [{ LINE: 'simulated' }, 'LINE was renamed to TELEPHONY. Rename the variable.'],
  [{ LINE_SPEED: '1' }, 'LINE_SPEED was renamed to SIMULATION_SPEED. Rename the variable.'],
  [
    { LINE: 'simulated', LINE_SPEED: '1' },
    'LINE was renamed to TELEPHONY. Rename the variable.\nLINE_SPEED was renamed to SIMULATION_SPEED. Rename the variable.',
  ],
  [{ LINE: 'simulated', TELEPHONY: 'simulated' }, 'LINE was renamed to TELEPHONY. Rename the variable.'],
])('names the new variable for %j', (environment, message) => {
  expect(() => parseConfig(environment)).toThrow(message)
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

it('ignores an old name without a value', () => {
  expect(parseConfig({ LINE: '', LINE_SPEED: '', SIMULATION_SPEED: '50' })).toMatchObject({
    telephony: 'simulated',
    simulationSpeed: 50,
  })
})

it.each(['3', '1001', 'many', '4.5'])('rejects DATABASE_CONNECTIONS=%s', (value) => {
  expect(() => parseConfig({ DATABASE_CONNECTIONS: value })).toThrow(/^DATABASE_CONNECTIONS: /m)
})

it('rejects a read replica of the embedded database', () => {
  const environment = { DATABASE_READ_URL: 'postgres://replica.example.com/outdial' }
  expect(() => parseConfig(environment)).toThrow('DATABASE_READ_URL needs DATABASE_URL')
})

it.each(['6', '-1', '7.5', '36501', 'never'])('rejects ARCHIVE_AFTER_DAYS=%s', (days) => {
  expect(() => parseConfig({ ARCHIVE_AFTER_DAYS: days })).toThrow('ARCHIVE_AFTER_DAYS: ')
})

it.each([
  [undefined, 90],
  ['0', 0],
  ['7', 7],
])('archives calls with ARCHIVE_AFTER_DAYS=%s after %s days', (days, expected) => {
  expect(parseConfig({ ARCHIVE_AFTER_DAYS: days }).archiveAfterDays).toBe(expected)
})

describe.each(['PUBLIC_URL', 'INTERNAL_URL'])('%s', (name) => {
  it.each([
    'https://calls.example.com/voice',
    'https://calls.example.com/voice/',
    String.raw`https://calls.example.com\voice`,
    'https://calls.example.com?a=b',
    'https://calls.example.com/#a',
    'https://user:password@calls.example.com',
  ])("can't be %s, because Outdial needs a host of its own", (url) => {
    expect(() => parseConfig({ [name]: url })).toThrow(
      `${name}: must have only a host, such as https://calls.example.com: Outdial can't be served under a path`,
    )
  })

  it('can end with a slash, which is dropped', () => {
    const { publicUrl, internalUrl } = parseConfig({ [name]: 'https://calls.example.com:8443/' })
    expect([publicUrl, internalUrl]).toContain('https://calls.example.com:8443')
  })
})
