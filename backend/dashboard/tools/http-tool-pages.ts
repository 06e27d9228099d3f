import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { checks, field } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { mergeSecrets } from '../../tools/custom/tool-secrets.ts'
import { httpMethods, HttpSettings } from '../../tools/custom/tool-settings.ts'
import { findToolTextIssues } from '../../tools/custom/validate-custom-tool.ts'
import { findHttpToolUrlIssues } from '../../tools/custom/validate-http-tool.ts'
import { addHttpTool, editHttpTool } from '../../tools/save-http-tool.ts'
import { getTool, toolNotFound } from '../../tools/tool-catalog.ts'
import { defineForm, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { anyField, formText } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import {
  type Parameter,
  parseParameters,
  parseSchema,
  rowNumbers,
  toParameters,
  toSchema,
} from './http-tool-parameters.ts'
import { parameterRow } from './parameter-row.ts'
import {
  formatHeaders,
  HeadersField,
  loadEditedTool,
  parseHeaders,
  parseParts,
  parseSecrets,
} from './tool-form.ts'
import { type ToolFormFrame, toolFormFrame } from './tool-form-frame.ts'

interface HttpFormData extends ToolFormFrame {
  values: {
    name: string
    description: string
    method: string
    url: string
    argumentsAs: 'rows' | 'schema'
    schema: string
  }
  rows: { number: number; parameter: Parameter }[]
}

const httpToolFormView = defineView((page, data: HttpFormData) => {
  const { form } = page
  const { values, rows } = data
  return toolFormFrame(page, data, {
    lead: 'Agents use an HTTP tool to send a request to one of your services, such as a CRM or a calendar, and read the response.',
    look: 'stack form wide',
    fields: html`
      <section class="panel" aria-labelledby="what">
        <h2 id="what">Tool</h2>
        ${field({
          form,
          name: 'name',
          label: 'Name',
          value: values.name,
          required: true,
          maxlength: 64,
          placeholder: 'find_slot',
          code: true,
          autocomplete: 'off',
          hint: 'The name agents use for the tool. Use only letters, digits, -, and _.',
        })}
        ${field({
          form,
          name: 'description',
          label: 'Description for the agent',
          value: values.description,
          required: true,
          rows: 3,
          maxlength: 4000,
          placeholder: 'Finds free appointments on a day. Use it before you offer a time.',
          hint: 'The agent reads this to decide when to use the tool.',
        })}
      </section>
      <section class="panel" aria-labelledby="request">
        <h2 id="request">Request</h2>
        <div class="request-row">
          ${field({
            form,
            name: 'method',
            label: 'Method',
            value: values.method,
            options: httpMethods.map((value) => ({ value, label: value })),
            required: true,
          })}
          ${field({
            form,
            name: 'url',
            label: 'URL',
            value: values.url,
            required: true,
            maxlength: 2000,
            code: true,
            inputmode: 'url',
            autocomplete: 'off',
            placeholder: 'https://api.example.com/slots/{day}?city={city}',
          })}
        </div>
        <p class="hint">
          To use an argument in the path or as a query value, put its name in single braces, for example {city}. Other
          arguments are sent in the JSON body, or in the query string for GET and DELETE requests.
        </p>
      </section>
      <section class="panel arguments" aria-labelledby="arguments">
        <h2 id="arguments">Arguments</h2>
        ${checks({
          form,
          name: 'arguments_as',
          label: 'Format',
          type: 'radio',
          row: true,
          values: [values.argumentsAs],
          options: [
            { value: 'rows', label: 'Simple list' },
            { value: 'schema', label: 'JSON Schema' },
          ],
        })}
        <div class="arguments-rows stack">
          ${form.issues.input_schema ? html`<p class="issue">${form.issues.input_schema}</p>` : null}
          ${rows.map(({ number, parameter }) =>
            parameterRow({ form, name: `param.${number}`, number, parameter }),
          )}
          <p class="hint">Blank rows are ignored. To add more rows, save the tool, then edit it.</p>
        </div>
        <div class="arguments-schema">
          ${field({
            form,
            name: 'input_schema',
            label: 'JSON Schema',
            value: values.schema,
            rows: 10,
            code: true,
            placeholder:
              '{ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] }',
            hint: 'Use JSON Schema 2020-12, with "type": "object" at the top level.',
          })}
        </div>
      </section>
    `,
  })
})

const text = formText.default('')

/** Maximum length of a schema: enough for the maximum number of values, and their descriptions. */
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
        ...{ name: '', description: '', method: 'GET', url: '' },
        ...{ argumentsAs: 'rows', schema: '' },
      },
      headers: '',
      rows: toParameterRows([]),
      secretNames: [],
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
        argumentsAs: parameters === undefined ? 'schema' : 'rows',
        schema: JSON.stringify(definition.inputSchema, null, 2),
      },
      headers: formatHeaders(headers),
      rows: toParameterRows(parameters ?? []),
      secretNames: tool.secretNames,
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
