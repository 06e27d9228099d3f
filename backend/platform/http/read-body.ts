import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { hasMoreValues } from '../core/count-values.ts'
import { ApiError } from '../core/errors.ts'
import { tooManyValuesError } from '../core/validate.ts'

/**
 * Rejects a body whose headers don't declare it as uncompressed JSON in UTF-8 (RFC 8259, section 8.1).
 *
 * @throws {ApiError} unsupported_media_type
 */
export function requireJson(headers: IncomingHttpHeaders): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase())
  if (type !== 'application/json') throw new ApiError('unsupported_media_type.missing')
  const coding = headers['content-encoding'] ?? 'identity'
  if (coding !== 'identity') throw new ApiError('unsupported_media_type.compressed')
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new ApiError('unsupported_media_type.charset')
  }
}

/** Checks whether a body follows the headers (RFC 9112, section 6). */
export const hasBody = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

// Keeps the byte order mark so that JSON.parse rejects it. RFC 8259 forbids sending one.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses a body as JSON. Counts its values first, because parsing many takes long, even if they're malformed.
 *
 * @throws {ApiError} malformed_json, and validation_failed for more than `maxValues`
 */
export function parseJson(bytes: Uint8Array, maxValues = Infinity): unknown {
  if (bytes.length === 0) throw new ApiError('malformed_json.empty')
  if (maxValues !== Infinity && hasMoreValues(bytes, maxValues)) throw tooManyValuesError(maxValues)
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch (cause) {
    throw new ApiError('malformed_json.syntax', { cause })
  }
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = Buffer.from('"\\[]{}')

/** Returns whether JSON has more than `maxDepth` levels of objects and lists, without parsing it. */
export function isDeeperThan(bytes: Uint8Array, maxDepth: number): boolean {
  let depth = 0
  let isInText = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) isInText = !isInText
    else if (isInText) at += byte === backslash ? 1 : 0
    else if (byte === openBracket || byte === openBrace) depth += 1
    else if (byte === closeBracket || byte === closeBrace) depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}
