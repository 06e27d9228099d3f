import { type CatalogMessage, toErrorMessage, toolResultTexts } from '@outdial/contract'
import { fillSecrets, type ToolSecrets } from './tool-secrets.ts'

/** A parsed URL with placeholders for arguments: `https://api.example.com/cities/{city}?units={units}`. */
export interface UrlTemplate {
  /** Scheme, host, and port. Can't contain arguments. */
  origin: string
  /** The parts of the path between slashes. */
  segments: string[]
  query: { name: string; value: string }[]
}

/** Maximum characters of a valid URL. */
export const maxUrlLength = 2000

const urlShape = /^(https?:\/\/[^/?#\\{}@\s]+)(\/[^?#\\\s]*)?(?:\?([^#\\\s]*))?$/i

/** Parses a template. Undefined if it isn't valid: too long, no literal host, or with a fragment, a space, or a stray brace. */
export function parseTemplate(url: string): UrlTemplate | undefined {
  if (url.length > maxUrlLength || /[\x00-\x1f\x7f]/.test(url) || !url.isWellFormed()) return undefined
  const parts = urlShape.exec(url.replaceAll(/(?<!\s)\s+(?=\}\})|(?<=\{\{)\s+/g, ''))
  const [, origin, path = '/', query = ''] = parts ?? []
  if (origin === undefined || !URL.canParse(origin)) return undefined
  const pairs = query.split('&').filter(Boolean).map(splitPair)
  const template = { origin, segments: path.slice(1).split('/'), query: pairs }
  const literals = [...template.segments, ...pairs.map(({ value }) => value)].map((part) =>
    part.replaceAll(placeholder, ''),
  )
  const names = pairs.map(({ name }) => name)
  const isValid = [...literals, ...names].every(isLiteral) && !names.includes('')
  return isValid && !path.includes('{{') ? template : undefined
}

/** Returns false for braces and for incomplete or invalid percent-encoding, because an argument could complete them. */
const isLiteral = (text: string): boolean => !/[{}]|%(?![0-9a-f]{2})/i.test(text) && isUtf8(text)

function isUtf8(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const splitPair = (pair: string) => {
  const at = pair.indexOf('=')
  return at < 0 ? { name: pair, value: '' } : { name: pair.slice(0, at), value: pair.slice(at + 1) }
}

// Matches a secret or an argument.
const placeholder = /\{\{secret\.[A-Za-z][A-Za-z0-9_]*\}\}|\{([A-Za-z_][A-Za-z0-9_-]*)\}/g

const findArguments = (text: string): string[] =>
  [...text.matchAll(placeholder)].map(([, name]) => name).filter((name) => name !== undefined)

/** Returns the names of the arguments in the path, which are always required. */
export const listPathArguments = (template: UrlTemplate): string[] => template.segments.flatMap(findArguments)

/** Returns the names of the arguments in the query. */
export const listQueryArguments = (template: UrlTemplate): string[] =>
  template.query.flatMap(({ value }) => findArguments(value))

/** Returns the names of the template's query parameters, decoded. */
export const listQueryNames = (template: UrlTemplate): string[] =>
  template.query.map(({ name }) => new URLSearchParams(`${name}=`).keys().next().value ?? '')

/** An argument that can't be used in a URL. The text is for the agent. */
export class InvalidArgumentError extends Error {
  override name = 'InvalidArgumentError'
  readonly text: CatalogMessage

  constructor(issue: 'missing' | 'type' | 'path' | 'fixed', argument: string) {
    const text = toErrorMessage(toolResultTexts[`argument_${issue}`], { argument })
    super(text)
    this.text = text
  }
}

/**
 * Fills in the placeholders. Arguments can't change the host, the number of path segments, or the names in the query. A
 * query parameter is left out if its argument isn't given.
 *
 * @param extra query parameters that follow those of the template
 * @throws {InvalidArgumentError}
 */
export function fillTemplate(
  template: UrlTemplate,
  args: Record<string, unknown>,
  secrets: ToolSecrets,
  extra: readonly (readonly [string, string])[] = [],
): URL {
  const fill = (text: string) =>
    fillSecrets(
      text.replaceAll(placeholder, (match, name?: string) =>
        name === undefined ? match : encodeArgument(name, args),
      ),
      secrets,
      encodeURIComponent,
    )
  const segments = template.segments.map((segment) => {
    const filled = fill(segment)
    const names = findArguments(segment)
    if (names.length > 0) requireSafeSegment(filled, names)
    return filled
  })
  const given = template.query.filter(({ value }) =>
    findArguments(value).every((name) => isGiven(args, name)),
  )
  const query = [
    ...given.map(({ name, value }) => `${name}=${fill(value)}`),
    ...extra.map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join('=')),
  ]
  const url = new URL(template.origin)
  url.pathname = `/${segments.join('/')}`
  url.search = query.join('&')
  return url
}

export const isGiven = (args: Record<string, unknown>, name: string): boolean =>
  Object.hasOwn(args, name) && args[name] !== null && args[name] !== undefined

function encodeArgument(name: string, args: Record<string, unknown>): string {
  const value = isGiven(args, name) ? args[name] : undefined
  if (value === undefined) throw new InvalidArgumentError('missing', name)
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new InvalidArgumentError('type', name)
  }
  return encodeURIComponent(String(value).toWellFormed())
}

/** Throws for an empty segment or a dot segment, in any encoding that a server may decode, because it would change the path. */
function requireSafeSegment(filled: string, names: string[]): void {
  const decoded = decodeURIComponent(filled)
  if (decoded !== '' && !hasDotSegment(decoded, 3)) return
  throw new InvalidArgumentError('path', names.join(' and '))
}

/** Finds dot segments. Decodes repeatedly and ignores what follows a semicolon, because some servers and proxies do. */
function hasDotSegment(text: string, decodings: number): boolean {
  if (text.split(/[/\\]/).some((part) => /^\.{1,2}(;|$)/.test(part))) return true
  const decoded = text.replace(/%(?:25|2e|2f|3b|5c)/gi, decodeURIComponent)
  return decodings > 0 && decoded !== text && hasDotSegment(decoded, decodings - 1)
}
