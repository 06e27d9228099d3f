import { expect, it } from '@jest/globals'
import { listInputFields } from '../support/input-fields.ts'
import { listInputs, routesWithoutInput } from '../support/inputs.ts'
import { useServiceWorld } from '../support/service.ts'
import { listRoutes, routeName } from '../support/service-routes.ts'

const world = useServiceWorld()

it('every route is either in the list of input schemas or in the list of routes without input', () => {
  const known = [...listInputs(world.service.deps).map(routeName), ...routesWithoutInput]
  const unknown = listRoutes(world.service.app).filter((route) => !known.includes(route))
  const advice = 'its schema to listOtherInputs, or its name to routesWithoutInput, in test/support/inputs.ts'
  expect(unknown.map((route) => `Add ${route}: ${advice}`)).toEqual([])
})

it('every text in the input of any route has a maximum length', () => {
  const fields = listInputs(world.service.deps).flatMap(({ method, path, part, schema }) =>
    listInputFields(schema).map((field) => ({
      ...field,
      name: `${method} ${path} ${part} ${field.path.join('.')}`,
    })),
  )
  expect(fields.length).toBeGreaterThan(150)
  expect(fields.filter(({ isUnbounded }) => isUnbounded).map(({ name }) => name)).toEqual([])
})
