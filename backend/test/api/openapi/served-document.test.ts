import { expect, it, jest } from '@jest/globals'
import { apiPrefix, useApiWorld } from '../../support/test-api.ts'

const api = useApiWorld()

it("serializes the OpenAPI document only once, even if it's requested again", async () => {
  const url = `${apiPrefix}/openapi.json`
  const first = await api.app.inject(url)
  expect(first.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(first.json()).toMatchObject({ openapi: '3.1.0' })
  const stringify = jest.spyOn(JSON, 'stringify')
  const second = await api.app.inject(url)
  const documents = stringify.mock.calls.filter(([value]) => typeof value === 'object' && 'openapi' in value)
  stringify.mockRestore()
  expect(second.rawPayload.equals(first.rawPayload)).toBe(true)
  expect(documents).toEqual([])
})
