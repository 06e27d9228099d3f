import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { addHttpTool } from '../../tools/general/add-http-tool.ts'
import { checkDescription, checkName } from '../../tools/custom/validate-custom-tool.ts'
import { editHttpTool } from '../../tools/save-http-tool.ts'
import { mergeSecrets } from '../../tools/general/merge-secrets.ts'
import { noSuchTool } from '../../tools/save-custom-tool.ts'
import { getTool } from '../../tools/get-tool.ts'
import { HttpSettings, methods } from '../../tools/kinds/http/settings.ts'
import { form, none } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo } from '../visit.ts'
import { editedOf } from './edited.ts'
import { readHeaders, writeHeaders } from './headers.ts'
import {
  type Parameter,
  parameterTypes,
  parametersOf,
  readParameters,
  readSchema,
  rowNumbers,
  schemaOf,
} from './http-tool-parameters.ts'
import { readAll } from './read-all.ts'
import { newSecrets, readSecrets } from './tool-form.ts'

interface HttpFormData {
  /** Null for a new tool. */
  tool: { id: number } | null
  values: {
    name: string
    description: string
    method: string
    url: string
    headers: string
    argumentsAs: 'rows' | 'schema'
    schema: string
  }
  rows: { number: number; parameter: Parameter | null }[]
  types: typeof parameterTypes
  methods: { value: string; label: string }[]
  secretNames: string[]
  newSecrets: number[]
}

const page = template<HttpFormData>('dashboard/tools/http-tool-form-page')

const text = z.string().default('')
const Fields = z.looseObject({
  name: text,
  description: text,
  method: z.enum(methods),
  url: text,
  headers: text,
  arguments_as: z.enum(['rows', 'schema']).default('rows'),
  input_schema: text,
})

/** @param names of the secrets that the tool has */
function readTool(raw: z.output<typeof Fields>, names: readonly string[]) {
  const { method, description } = raw
  const name = raw.name.trim()
  const parts = {
    headers: () => readHeaders(raw.headers),
    inputSchema: () =>
      raw.arguments_as === 'schema' ? readSchema(raw.input_schema) : schemaOf(readParameters(raw)),
    secrets: () => readSecrets(raw, names),
  }
  const read = readAll(parts, [...checkName(name), ...checkDescription(description)])
  return { ...read, name, description, method, url: raw.url.trim() }
}

const rowsOf = (parameters: readonly Parameter[]): HttpFormData['rows'] =>
  rowNumbers(parameters.length).map((number) => ({ number, parameter: parameters[number - 1] ?? null }))

const choices = {
  types: parameterTypes,
  methods: methods.map((value) => ({ value, label: value })),
  newSecrets,
}

export const newHttpPage = () =>
  form({
    path: '/tools/new-http',
    query: none,
    form: Fields,
    show: async () =>
      page('New HTTP tool', {
        tool: null,
        values: {
          ...{ name: '', description: '', method: 'GET', url: '', headers: '' },
          ...{ argumentsAs: 'rows', schema: '' },
        },
        rows: rowsOf([]),
        secretNames: [],
        ...choices,
      }),
    submit: async (own, visit, raw) => {
      const tool = readTool(raw, [])
      const secrets = mergeSecrets({}, tool.secrets)
      const { id } = await addHttpTool(own)(visit.workspace.id, { ...tool, secrets })
      return done(pathTo(visit, `/tools/${id}`), 'The tool is there. Assign it to agents on their pages.')
    },
  })

export const editHttpPage = (deps: Deps) =>
  form({
    path: '/tools/:id/edit-http',
    query: none,
    form: Fields,
    show: async ({ workspace, id: toolId }) => {
      const { settings, definitions, ...tool } = await getTool(deps)({ workspaceId: workspace.id, toolId })
      const [definition] = definitions === 'unreadable' ? [] : definitions
      if (tool.kind !== 'http' || definition === undefined) throw noSuchTool()
      const { method, url, headers } = HttpSettings.parse(settings)
      const parameters = parametersOf(definition.inputSchema)
      return page(`Edit ${tool.name}`, {
        tool: { id: toolId },
        values: {
          ...{ name: tool.name, description: tool.description, method, url },
          headers: writeHeaders(headers),
          argumentsAs: parameters === undefined ? 'schema' : 'rows',
          schema: JSON.stringify(definition.inputSchema, null, 2),
        },
        rows: rowsOf(parameters ?? []),
        secretNames: tool.secretNames,
        ...choices,
      })
    },
    edited: editedOf,
    submit: async (own, visit, raw) => {
      const key = { workspaceId: visit.workspace.id, toolId: visit.id }
      const { secretNames } = await getTool(own)(key)
      await editHttpTool(own)(key.workspaceId, key.toolId, readTool(raw, secretNames))
      return done(pathTo(visit, `/tools/${visit.id}`), 'Saved. Agents that have it use it as it is now.')
    },
  })
