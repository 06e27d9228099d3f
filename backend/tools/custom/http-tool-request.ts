import type { ToolRow } from '../kinds/tool-kind.ts'
import { fillSecrets, type ToolSecrets } from './tool-secrets.ts'
import { type HttpSettings, takesBody } from './tool-settings.ts'
import {
  fillTemplate,
  InvalidArgumentError,
  isGiven,
  listPathArguments,
  listQueryArguments,
  listQueryNames,
  parseTemplate,
  type UrlTemplate,
} from './url-template.ts'

export interface HttpToolRequest {
  method: HttpSettings['method']
  url: URL
  headers: Record<string, string>
  body: string | undefined
}

/**
 * Creates the request for one use of an HTTP tool. Arguments that aren't in the URL template go to the JSON body, or to the
 * query if the method has no body.
 *
 * @throws {InvalidArgumentError}
 */
export function createRequest(
  row: ToolRow,
  settings: HttpSettings,
  args: Record<string, unknown>,
  secrets: ToolSecrets,
): HttpToolRequest {
  const { method } = settings
  const template = parseTemplate(settings.url)
  if (template === undefined) throw new Error(`invariant: tool ${row.id} has an invalid URL`)
  const usedArguments = new Set([...listPathArguments(template), ...listQueryArguments(template)])
  const rest = Object.keys(args).filter((name) => !usedArguments.has(name) && args[name] !== undefined)
  const customHeaders = Object.fromEntries(
    Object.entries(settings.headers).map(([name, value]) => [
      name.toLowerCase(),
      fillSecrets(value, secrets),
    ]),
  )
  if (!takesBody(method)) {
    const url = fillTemplate(template, args, secrets, queryPairs(template, args, rest))
    return { method, url, headers: customHeaders, body: undefined }
  }
  const body = JSON.stringify(Object.fromEntries(rest.map((name) => [name, args[name]])))
  const headers = { 'content-type': 'application/json', ...customHeaders }
  return { method, url: fillTemplate(template, args, secrets), headers, body }
}

function queryPairs(template: UrlTemplate, args: Record<string, unknown>, names: string[]) {
  const templateNames = new Set(listQueryNames(template))
  return names
    .filter((name) => isGiven(args, name))
    .flatMap((name) => {
      if (templateNames.has(name)) throw new InvalidArgumentError('fixed', name)
      const value = args[name]
      return (Array.isArray(value) ? value : [value]).map((item) => [name, toText(item)] as const)
    })
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
