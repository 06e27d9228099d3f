import type { ErrorDetail } from '@outdial/contract'
import type { Config } from '../../config.ts'
import { findTargetUrlIssue } from '../../outbound/target-url.ts'
import { checkToolSchema } from '../json-schema/check-tool-schema.ts'
import type { JsonSchema } from '../json-schema/compile-schema.ts'
import type { ToolSecrets } from './tool-secrets.ts'
import { hasBody, type HttpSettings } from './tool-settings.ts'
import {
  listPathArguments,
  listQueryArguments,
  listQueryNames,
  parseTemplate,
  type UrlTemplate,
} from './url-template.ts'
import {
  checkDescription,
  checkHeaders,
  checkName,
  checkSecrets,
  createIssue,
} from './validate-custom-tool.ts'

/** An HTTP tool as it is to be kept. */
export interface HttpToolValues extends HttpSettings {
  name: string
  description: string
  inputSchema: JsonSchema
  secrets: ToolSecrets
}

/** Everything that is wrong with an HTTP tool, by the field of the form. */
export function checkHttpTool(config: Config, tool: HttpToolValues): ErrorDetail[] {
  const { url, headers, inputSchema } = tool
  const schemaIssues = checkToolSchema(inputSchema).map((message) =>
    createIssue('input_schema', 'invalid_schema', message),
  )
  const issues = [
    ...checkName(tool.name),
    ...checkDescription(tool.description),
    ...schemaIssues,
    ...checkHeaders(headers),
    ...checkSecrets(tool.secrets, [url, ...Object.values(headers)]),
  ]
  if (url.length > 2000)
    return [...issues, createIssue('url', 'too_long', 'The URL must have at most 2000 characters.')]
  const template = parseTemplate(url)
  if (template === undefined) return [...issues, createIssue('url', 'invalid_url', unreadableUrl)]
  const urlIssue = findTargetUrlIssue(config, template.origin)
  if (urlIssue !== undefined) return [...issues, createIssue('url', 'invalid_url', urlIssue)]
  return schemaIssues.length > 0 ? issues : [...issues, ...checkArguments(template, tool)]
}

const unreadableUrl =
  'The URL cannot be read. Write it as https://api.example.com/cities/{city}?units={units}: the host stands there ' +
  'as it is, arguments in the path or as values in the query, secrets only as values in the query.'

function checkArguments(template: UrlTemplate, { method, inputSchema }: HttpToolValues): ErrorDetail[] {
  const declared = Object.keys(inputSchema.properties ?? {})
  const required = (inputSchema.required ?? []) as string[]
  const pathArguments = listPathArguments(template)
  const usedArguments = [...pathArguments, ...listQueryArguments(template)]
  const unknown = usedArguments.filter((name) => !declared.includes(name))
  const optional = pathArguments.filter((name) => declared.includes(name) && !required.includes(name))
  const conflicting = hasBody(method)
    ? []
    : listQueryNames(template).filter((name) => declared.includes(name) && !usedArguments.includes(name))
  return [
    ...unknown.map((name) =>
      createIssue('url', 'unknown_argument', `{${name}} is no argument of the schema.`),
    ),
    ...optional.map((name) =>
      createIssue(
        'input_schema',
        'required',
        `${name} stands in the path of the URL, so the schema must require it.`,
      ),
    ),
    ...conflicting.map((name) =>
      createIssue(
        'input_schema',
        'already_used',
        `The query of the URL sets ${name}: it cannot be an argument too.`,
      ),
    ),
  ]
}
