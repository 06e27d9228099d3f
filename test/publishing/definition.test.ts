import { expect, it } from '@jest/globals'
import { exampleCall } from '@outdial/contract'
import app from '../../index.ts'
import { apiPath, run, stubResponse } from '../support/connector.ts'
import {
  allInputFields,
  creates,
  inputFieldsOf,
  named,
  searches,
  triggers,
  visibleSteps,
} from '../support/steps.ts'

// Zapier runs these checks on its servers before it publishes an integration. Titles start with Zapier's numbers for the
// checks.
const hooks = triggers.filter(({ operation }) => operation.type === 'hook')
const keysOf = (group: object) => Object.keys(group)

it.each(allInputFields)('D001: %s asks for no secret', (_name, field) => {
  expect(field.key).not.toMatch(/secret|token|password|passwd|api_?key|access_?key/i)
  expect(field.type).not.toBe('password')
})

/** Returns the label that Zapier shows for a user's connection. Zapier inserts values that the connection test returns. */
async function renderLabel(authData: Record<string, unknown>): Promise<string> {
  stubResponse('GET', apiPath('/campaigns/'), 200, { count: 0, next: null, previous: null, results: [] })
  const tested = await run<Record<string, unknown>>('authentication.test', { authData })
  const { connectionLabel } = app.authentication as { connectionLabel: string }
  return connectionLabel.replaceAll(/\{\{(?:bundle\.authData\.)?(\w+)\}\}/g, (_, key: string) => {
    const value = tested[key] ?? authData[key]
    if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`The label uses ${key}.`)
    return String(value)
  })
}

it('D003: the connection labels of two colleagues and of two workspaces differ, and contain no secret', async () => {
  const ada = {
    access_token: 'secret-1',
    refresh_token: 'secret-2',
    workspace_id: '3',
    workspace_name: 'Acme',
    user_email: 'ada@example.com',
  }
  const labels = [
    await renderLabel(ada),
    await renderLabel({ ...ada, user_email: 'ben@example.com' }),
    await renderLabel({ ...ada, workspace_id: '4', workspace_name: 'Bolt' }),
  ]
  expect(labels[0]).toContain('Acme')
  expect(new Set(labels).size).toBe(labels.length)
  expect(labels.join()).not.toContain('secret')
})

it.each(allInputFields)(
  'D004, D005, D013, D014: %s has a dropdown if it takes an ID or has a search',
  (_name, field) => {
    if (/(^|_)id$/.test(field.key) || field.search !== undefined) expect(field.dynamic).toBeDefined()
    if (field.dynamic !== undefined) {
      const [trigger = '', ...names] = field.dynamic.split('.')
      expect(app.triggers).toHaveProperty(trigger)
      // test/triggers/dropdowns.test.ts checks that the hidden triggers return both fields.
      expect(names).toEqual(['id', 'label'])
    }
    if (field.search !== undefined) {
      const [search = '', id] = field.search.split('.')
      expect(keysOf({ ...app.searches })).toContain(search)
      expect(id).toBe('id')
    }
  },
)

it.each(named(hooks))(
  'D006, D017: the hook %s has the functions to list calls, subscribe, and unsubscribe',
  (_key, { operation }) => {
    expect(operation.performList).toBeInstanceOf(Function)
    expect(operation.performSubscribe).toBeInstanceOf(Function)
    expect(operation.performUnsubscribe).toBeInstanceOf(Function)
  },
)

it.each(named(hooks))(
  'D006: %s returns the same output for a delivered call as for a listed call',
  async (key) => {
    const call = { ...exampleCall, opted_out: true }
    stubResponse('GET', apiPath('/calls/'), 200, {
      count: 1,
      next: null,
      previous: null,
      results: [call],
    })
    const listed = await run(`triggers.${key}.operation.performList`)
    const event = { id: 'evt_1', type: 'call.completed', created_at: call.ended_at, data: call }
    const delivered = await run(`triggers.${key}.operation.perform`, {
      cleanedRequest: event,
      rawRequest: { content: JSON.stringify(event) },
    })

    expect(delivered).toEqual(listed)
    expect(delivered).toHaveLength(1)
  },
)

it.each(named(searches))('D009: %s has a field to search by', (_key, step) => {
  expect(inputFieldsOf(step)).not.toEqual([])
})

it('D015: every find-or-create step has a search and an action that exist', () => {
  const { searchOrCreates = {} } = app as {
    searchOrCreates?: Record<string, { search: string; create: string }>
  }
  const pairs = Object.values(searchOrCreates)
  expect(pairs.filter(({ search }) => !keysOf(app.searches).includes(search))).toEqual([])
  expect(pairs.filter(({ create }) => !keysOf(app.creates).includes(create))).toEqual([])
})

it.each(named(creates))("D022: %s has fields that don't depend on a connection", (_key, step) => {
  expect(inputFieldsOf(step)).not.toEqual([])
})

it('D028: asks Zapier to pass on blank input unchanged', () => {
  expect(app.flags).toEqual({ cleanInputData: false, throwForThrottlingEarly: false })
})

it.each(named(visibleSteps))('%s assigns its fields only to groups that exist', (_key, step) => {
  const groups = (step.operation.inputFieldGroups ?? []).map(({ key }) => key)
  const unknown = inputFieldsOf(step).filter(({ group }) => group !== undefined && !groups.includes(group))
  expect(unknown.map(({ key }) => key)).toEqual([])
})
