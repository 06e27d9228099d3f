import { expect, it } from '@jest/globals'
import { toFormFields } from '../../../dashboard/agents/schema-fields.ts'

it('shows the default of a schema property named “constructor”, although every object inherits that name', () => {
  const schema = { type: 'object', properties: { constructor: { type: 'string', default: 'Acme' } } }
  expect(toFormFields(schema, 'args.', {})).toMatchObject([
    { data: { name: 'args.constructor', value: 'Acme' } },
  ])
  expect(toFormFields(schema, 'args.', { constructor: 'Roofs' })).toMatchObject([
    { data: { value: 'Roofs' } },
  ])
})
