import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, expect, jest } from '@jest/globals'
import { conformanceProgram, itWithConformance } from '../support/conformance.ts'
import { useTestFolder } from '../support/folder.ts'
import { secret, textResult, useMcpWorld } from '../support/mcp.ts'

jest.setTimeout(60_000)

/** The official suite's scenarios for a server that has only tools. */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
  'json-schema-2020-12',
]

let url: string
const output = useTestFolder()
const service = useMcpWorld({
  test_simple_text: () => textResult('This is a simple text response for testing.'),
  test_error_handling: () => {
    throw new Error('broken on purpose')
  },
})
beforeAll(async () => {
  const { agentId, widgetId } = await service.addAgent()
  for (const name of ['test_simple_text', 'test_error_handling']) {
    await service.addTool(agentId, name, { schema: { type: 'object' } })
  }
  await service.addTool(agentId, 'json_schema_2020_12_tool', {
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
  })
  url = `${service.url}/api/mcp/?widget_id=${widgetId}&token=${secret}`
})

itWithConformance.each(scenarios)('passes the official conformance scenario %s', async (scenario) => {
  const cli = conformanceProgram('conformance/dist/index.js')
  const words = [cli, 'server', '--url', url, '--scenario', scenario, '--output-dir', output.path]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/)
})
