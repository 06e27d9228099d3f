import type { ErrorDetail } from '@outdial/contract'
import * as z from 'zod'
import type { Config } from '../../config.ts'
import { findRuleIssues, rule } from '../../platform/core/validate-rules.ts'
import { findTargetUrlIssue } from '../../platform/outbound/target-url.ts'
import type { JsonSchema } from '../json-schema/compile-schema.ts'
import type { ToolSecrets } from './tool-secrets.ts'
import { type HttpSettings, takesBody } from './tool-settings.ts'
import {
  listPathArguments,
  listQueryArguments,
  listQueryNames,
  maxUrlLength,
  parseTemplate,
  type UrlTemplate,
} from './url-template.ts'
import { customToolFields, findSchemaIssues, reportEach } from './validate-custom-tool.ts'

/** An HTTP tool as it's saved. */
export interface HttpToolValues extends HttpSettings {
  name: string
  description: string
  inputSchema: JsonSchema
  secrets: ToolSecrets
}

/** Finds everything that's wrong with an HTTP tool, by the field of the form. */
export async function checkHttpTool(
  config: Pick<Config, 'allowLoopbackWebhooks'>,
  workspaceId: number,
  tool: HttpToolValues,
): Promise<ErrorDetail[]> {
  const [schemaIssues = []] = await findSchemaIssues(workspaceId, [tool.inputSchema])
  const { name, description, headers, secrets } = customToolFields(tool)
  const schema = z.object({
    name,
    description,
    input_schema: z
      .unknown()
      .superRefine(reportEach(() => schemaIssues.map((message) => ({ code: 'invalid_schema', message })))),
    headers,
    secrets,
    url: urlTemplateSchema(config),
  })
  const issues = findRuleIssues(schema, { ...tool, input_schema: tool.inputSchema })
  const template = parseTemplate(tool.url)
  const isComparable = !issues.some(({ field }) => field === 'url' || field === 'input_schema')
  return isComparable && template !== undefined ? [...issues, ...checkArguments(template, tool)] : issues
}

const urlTemplateSchema = (config: Pick<Config, 'allowLoopbackWebhooks'>) =>
  z
    .string()
    .refine(
      (url) => url.length <= maxUrlLength,
      rule('too_long', 'The URL can have at most 2,000 characters. Shorten it.'),
    )
    .superRefine(
      reportEach((url) => {
        const template = parseTemplate(url)
        const issue = template === undefined ? unreadableUrl : findTargetUrlIssue(config, template.origin)
        return issue === undefined ? [] : [{ code: 'invalid_url', message: issue }]
      }),
    )

/** Finds the issues of the URL only, for a form whose other fields can't be read. */
export const findHttpToolUrlIssues = (
  config: Pick<Config, 'allowLoopbackWebhooks'>,
  url: string,
): ErrorDetail[] => findRuleIssues(z.object({ url: urlTemplateSchema(config) }), { url })

const unreadableUrl =
  'The URL is invalid. Enter it like https://api.example.com/cities/{city}?units={units}. Arguments can be in the ' +
  "path or in query values. Secrets can be only in query values. The host can't contain arguments or secrets."

function checkArguments(template: UrlTemplate, { method, inputSchema }: HttpToolValues): ErrorDetail[] {
  const declared = Object.keys(inputSchema.properties ?? {})
  const required = (inputSchema.required ?? []) as string[]
  const pathArguments = listPathArguments(template)
  const usedArguments = [...pathArguments, ...listQueryArguments(template)]
  const unknown = usedArguments.filter((name) => !declared.includes(name))
  const optional = pathArguments.filter((name) => declared.includes(name) && !required.includes(name))
  const conflicting = takesBody(method)
    ? []
    : listQueryNames(template).filter((name) => declared.includes(name) && !usedArguments.includes(name))
  return [
    ...unknown.map((name) => ({
      field: 'url',
      code: 'unknown_argument',
      message: `{${name}} isn't one of the arguments. Add the argument, or change the URL.`,
    })),
    ...optional.map((name) => ({
      field: 'input_schema',
      code: 'required',
      message: `${name} is used in the URL path, so it must be a required argument. Mark it as required, or remove it from the path.`,
    })),
    ...conflicting.map((name) => ({
      field: 'input_schema',
      code: 'already_used',
      message: `The URL's query string already sets ${name}, so it can't also be an argument. Remove it from the URL or from the arguments.`,
    })),
  ]
}
