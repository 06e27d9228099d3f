import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { mergeSecrets } from '../../tools/custom/tool-secrets.ts'
import { httpMethods, HttpSettings } from '../../tools/custom/tool-settings.ts'
import { findToolTextIssues } from '../../tools/custom/validate-custom-tool.ts'
import { findHttpToolUrlIssues } from '../../tools/custom/validate-http-tool.ts'
import { addHttpTool, editHttpTool } from '../../tools/save-http-tool.ts'
import { getTool, toolNotFound } from '../../tools/tool-catalog.ts'
import { defineForm, noInput, redirectTo, template } from '../page/define-page.ts'
import type { FormFrame } from '../page/forms.ts'
import { anyField, formText } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import {
  type Parameter,
  parameterTypes,
  parseParameters,
  parseSchema,
  rowNumbers,
  toParameters,
  toSchema,
} from './http-tool-parameters.ts'
import {
  formatHeaders,
  HeadersField,
  loadEditedTool,
  newSecretNumbers,
  parseHeaders,
  parseParts,
  parseSecrets,
} from './tool-form.ts'

interface HttpFormData extends FormFrame {
  isNew: boolean
  values: {
    name: string
    description: string
    method: string
    url: string
    headers: string
    argumentsAs: 'rows' | 'schema'
    schema: string
  }
  rows: { number: number; parameter: Parameter }[]
  types: typeof parameterTypes
  methods: { value: string; label: string }[]
  secretNames: string[]
  newSecrets: number[]
}

const httpToolFormView = template<HttpFormData>('dashboard/tools/http-tool-form-page')

const text = formText.default('')
/** A schema with the most values, and descriptions. */
const maxSchemaLength = 200_000

const HttpToolFields = z
  .object({
    name: text,
    description: text,
    method: z.enum(httpMethods),
    url: text,
    headers: HeadersField,
    arguments_as: z.enum(['rows', 'schema']).default('rows'),
    input_schema: boundedText(maxSchemaLength).default(''),
  })
  .catchall(anyField(maxSchemaLength))

/** @param names of the tool's saved secrets */
function parseHttpTool(
  { config }: Pick<Deps, 'config'>,
  raw: z.output<typeof HttpToolFields>,
  names: readonly string[],
) {
  const { method, description } = raw
  const name = raw.name.trim()
  const url = raw.url.trim()
  const parts = {
    headers: () => parseHeaders(raw.headers),
    inputSchema: () =>
      raw.arguments_as === 'schema' ? parseSchema(raw.input_schema) : toSchema(parseParameters(raw)),
    secrets: () => parseSecrets(raw, names),
  }
  const otherIssues = [...findToolTextIssues({ name, description }), ...findHttpToolUrlIssues(config, url)]
  return { ...parseParts(parts, otherIssues), name, description, method, url }
}

const emptyParameter: Parameter = { name: '', type: 'string', about: '', isRequired: false }

const toParameterRows = (parameters: readonly Parameter[]): HttpFormData['rows'] =>
  rowNumbers(parameters.length).map((number) => ({
    number,
    parameter: parameters[number - 1] ?? emptyParameter,
  }))

const formOptions = {
  types: parameterTypes,
  methods: httpMethods.map((value) => ({ value, label: value })),
  newSecrets: newSecretNumbers,
}

export const newHttpToolPage = defineForm({
  isCostly: true,
  query: noInput,
  form: HttpToolFields,
  show: async () =>
    httpToolFormView('Add HTTP tool', {
      back: { path: '/tools', label: 'Tools' },
      submitLabel: 'Add tool',
      isNew: true,
      values: {
        ...{ name: '', description: '', method: 'GET', url: '', headers: '' },
        ...{ argumentsAs: 'rows', schema: '' },
      },
      rows: toParameterRows([]),
      secretNames: [],
      ...formOptions,
    }),
  submit: async (tx, context, raw) => {
    const tool = parseHttpTool(tx, raw, [])
    const secrets = mergeSecrets({}, tool.secrets)
    const { id } = await addHttpTool(tx, context.workspace.id, { ...tool, secrets })
    return redirectTo(pathTo(context, `/tools/${id}`), "Tool added. To use it, assign it on an agent's page.")
  },
})

export const editHttpToolPage = defineForm({
  isCostly: true,
  params: IdParams,
  query: noInput,
  form: HttpToolFields,
  show: async (deps, { workspace, params: { id: toolId } }) => {
    const { settings, definitions, ...tool } = await getTool(deps, workspace.id, toolId)
    const [definition] = definitions === 'unreadable' ? [] : definitions
    if (tool.kind !== 'http' || definition === undefined) throw toolNotFound()
    const { method, url, headers } = HttpSettings.parse(settings)
    const parameters = toParameters(definition.inputSchema)
    return httpToolFormView(`Edit ${tool.name}`, {
      back: { path: `/tools/${toolId}`, label: tool.name },
      submitLabel: 'Save',
      isNew: false,
      values: {
        ...{ name: tool.name, description: tool.description, method, url },
        headers: formatHeaders(headers),
        argumentsAs: parameters === undefined ? 'schema' : 'rows',
        schema: JSON.stringify(definition.inputSchema, null, 2),
      },
      rows: toParameterRows(parameters ?? []),
      secretNames: tool.secretNames,
      ...formOptions,
    })
  },
  loadEdited: loadEditedTool,
  submit: async (tx, context, raw) => {
    const { workspace, params } = context
    const { secretNames } = await getTool(tx, workspace.id, params.id)
    await editHttpTool(tx, workspace.id, params.id, parseHttpTool(tx, raw, secretNames))
    return redirectTo(
      pathTo(context, `/tools/${params.id}`),
      'Tool saved. Agents use the changes from now on.',
    )
  },
})
