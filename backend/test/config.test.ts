import { describe, expect, it } from '@jest/globals'
import { parseConfig, renamedVariables } from '../config.ts'

it('if a renamed environment variable has a value, rejects the variable, and says its new name', () => {
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
  ['is on by default in a trial', {}, true],
  ['is off by default if DATABASE_URL is set', { DATABASE_URL: 'postgres://localhost/outdial' }, false],
  ['is off by default if PUBLIC_URL is a public address', { PUBLIC_URL: 'https://calls.example.com' }, false],
  [
    "is on if it's set to true, even if DATABASE_URL is set",
    { DATABASE_URL: 'postgres://localhost/outdial', ALLOW_LOOPBACK_WEBHOOKS: 'true' },
    true,
  ],
])('ALLOW_LOOPBACK_WEBHOOKS %s', (_when, environment, expected) => {
  expect(parseConfig(environment).allowLoopbackWebhooks).toBe(expected)
})

it.each(['3', '1001', 'many', '4.5'])('rejects DATABASE_CONNECTIONS=%s', (value) => {
  expect(() => parseConfig({ DATABASE_CONNECTIONS: value })).toThrow(/^DATABASE_CONNECTIONS: /m)
})

it("rejects DATABASE_READ_URL if DATABASE_URL isn't set, because the embedded database can't have a replica", () => {
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
  ])("can't be %s, because only a scheme, a host, and a port are allowed", (url) => {
    expect(() => parseConfig({ [name]: url })).toThrow(
      `${name}: must have only a host, such as https://calls.example.com: Outdial can't be served under a path`,
    )
  })

  it('can end with a slash, which is dropped', () => {
    const { publicUrl, internalUrl } = parseConfig({ [name]: 'https://calls.example.com:8443/' })
    expect([publicUrl, internalUrl]).toContain('https://calls.example.com:8443')
  })
})

describe('the language model', () => {
  const environment = { LLM_URL: 'http://10.0.0.5:8000/v1/', LLM_MODELS: 'large, small' }

  it("is off if LLM_URL isn't set", () => {
    expect(parseConfig({ LLM_TOKENS_PER_DAY: '5' }).llm).toBeUndefined()
  })

  it('can be on a private address, and has a limit of 2,000,000 tokens a day by default', () => {
    expect(parseConfig(environment).llm).toEqual({
      url: 'http://10.0.0.5:8000/v1',
      apiKey: undefined,
      apiKeyFile: undefined,
      models: ['large', 'small'],
      fallback: undefined,
      tokensPerDay: 2_000_000,
    })
  })

  it('can read its key from a file, fall back to a second model, and have no token limit', () => {
    const { llm } = parseConfig({
      ...environment,
      LLM_API_KEY_FILE: '/run/secrets/model',
      LLM_FALLBACK_URL: 'https://models.example.com/v1',
      LLM_FALLBACK_API_KEY: 'key',
      LLM_FALLBACK_MODEL: 'medium',
      LLM_TOKENS_PER_DAY: '0',
    })
    expect(llm).toMatchObject({
      apiKeyFile: '/run/secrets/model',
      fallback: { url: 'https://models.example.com/v1', apiKey: 'key', model: 'medium' },
      tokensPerDay: 0,
    })
  })

  it.each([
    [{ LLM_MODELS: undefined }, 'LLM_URL needs LLM_MODELS'],
    [{ LLM_MODELS: ' , ' }, 'LLM_URL needs LLM_MODELS'],
    [{ LLM_URL: undefined }, 'LLM_MODELS needs LLM_URL'],
    [{ LLM_FALLBACK_URL: 'https://models.example.com/v1' }, 'LLM_FALLBACK_URL needs LLM_FALLBACK_MODEL'],
    [{ LLM_FALLBACK_MODEL: 'medium' }, 'LLM_FALLBACK_MODEL needs LLM_FALLBACK_URL'],
    [{ LLM_API_KEY: 'key', LLM_API_KEY_FILE: '/key' }, 'LLM_API_KEY and LLM_API_KEY_FILE are both set'],
    [
      { LLM_FALLBACK_API_KEY: 'key', LLM_FALLBACK_API_KEY_FILE: '/key' },
      'LLM_FALLBACK_API_KEY and LLM_FALLBACK_API_KEY_FILE are both set',
    ],
    [{ LLM_URL: 'ftp://models.example.com' }, /^LLM_URL: /m],
    [{ LLM_URL: 'https://user:password@models.example.com/v1' }, /^LLM_URL: can't have a user name/m],
    [{ LLM_URL: 'https://models.example.com/v1?key=secret' }, /^LLM_URL: can't have a user name/m],
    [{ LLM_TOKENS_PER_DAY: '-1' }, /^LLM_TOKENS_PER_DAY: /m],
  ])("can't be configured with %j", (changes, message) => {
    expect(() => parseConfig({ ...environment, ...changes })).toThrow(message)
  })
})
