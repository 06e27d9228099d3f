import { expect, it } from '@jest/globals'
import { listInputFields } from '../support/input-fields.ts'
import { listInputs } from '../support/inputs.ts'
import { useServiceWorld } from '../support/service.ts'

const world = useServiceWorld()

it('checks the length of every text from outside before anything else', () => {
  const fields = listInputs(world.service.deps).flatMap(({ method, path, part, schema }) =>
    listInputFields(schema).map((field) => ({
      ...field,
      name: `${method} ${path} ${part} ${field.path.join('.')}`,
    })),
  )
  expect(fields.length).toBeGreaterThan(150)
  expect(fields.filter(({ isUnbounded }) => isUnbounded).map(({ name }) => name)).toEqual([])
})
