import { expect, it } from '@jest/globals'
import * as z from 'zod'
import { routes } from '../../api/routes.ts'
import { listInputFields, textsOverLimit, withOnly } from '../support/input-fields.ts'
import { useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const Rejected = z.object({ error: z.object({ details: z.array(z.object({ field: z.string() })) }) })

it('rejects a text over the limit in any field of any route, and names the field', async () => {
  const wrong: string[] = []
  let count = 0
  for (const route of routes) {
    for (const part of ['query', 'body'] as const) {
      for (const field of listInputFields(route[part])) {
        for (const text of textsOverLimit(field)) {
          count += 1
          const input = withOnly(field, text)
          api.deps.clock.advance(200) // within the rate limit
          const path = route.path.replace(':id', '1')
          const query = new URLSearchParams(
            Object.entries(input as object).map(([name, value]): [string, string] => [name, String(value)]),
          )
          const response = await api.send({
            method: route.method,
            path: part === 'query' ? `${path}?${query.toString()}` : path,
            ...(part === 'body' && { body: input }),
          })
          const details = response.statusCode === 422 ? Rejected.parse(response.json()).error.details : []
          if (!details.some(({ field: name }) => name.split('.')[0] === field.path[0]))
            wrong.push(`${route.method} ${route.path} ${field.path.join('.')}: ${response.statusCode}`)
        }
      }
    }
  }
  expect(wrong).toEqual([])
  process.stdout.write(`${count} texts over the limits of fields of the API\n`)
})
