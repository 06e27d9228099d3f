import type { SecretBox } from '../../platform/secrets/secret-box.ts'

/** Secrets of a tool by name. */
export type ToolSecrets = Readonly<Record<string, string>>

interface ToolKey {
  workspaceId: number
  id: number
}

const placeOf = ({ workspaceId, id }: ToolKey) => ['mcp_tool.secrets', workspaceId, id] as const

/** Seals secrets for the row of a tool. Returns null if there are none. */
export const sealSecrets = (secretBox: SecretBox, tool: ToolKey, secrets: ToolSecrets): string | null =>
  Object.keys(secrets).length === 0 ? null : secretBox.seal(JSON.stringify(secrets), placeOf(tool))

/** @throws if no key in SECRET_KEY opens the secrets, or if they were sealed for another tool */
export const openSecrets = (secretBox: SecretBox, tool: ToolKey & { secrets: string | null }): ToolSecrets =>
  tool.secrets === null ? {} : (JSON.parse(secretBox.open(tool.secrets, placeOf(tool))) as ToolSecrets)

const secretReference = /\{\{\s*secret\.([A-Za-z][A-Za-z0-9_]*)\s*\}\}/g

/** Returns the names of the secrets that a text refers to as `{{secret.NAME}}`. */
export const findSecretNames = (text: string): string[] =>
  [...text.matchAll(secretReference)].map(([, name = '']) => name)

/** Replaces the references in a text with the secrets. No secret is missing, because tools are validated when saved. */
export const fillSecrets = (
  text: string,
  secrets: ToolSecrets,
  encode: (value: string) => string = String,
): string => text.replace(secretReference, (_match, name: string) => encode(secrets[name] ?? ''))

function listEncodings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const uriEncoded = encodeURIComponent(secret)
  const formEncoded = new URLSearchParams({ secret }).toString().slice('secret='.length)
  const lowerCase = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  const bytes = Buffer.from(secret)
  return [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    ...[uriEncoded, formEncoded].flatMap((text) => [text, lowerCase(text)]),
    ...["'", '&#39;', '&#x27;', '&apos;'].map((apostrophe) => escapeHtml(secret, apostrophe)),
    bytes.toString('base64').replace(/={1,2}$/, ''),
    bytes.toString('base64url'),
  ]
}

const escapeHtml = (text: string, apostrophe: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", apostrophe)

/** Redacts secrets that a server may echo in its response, in the encodings that are common in responses. */
export function redactSecrets(text: string, secrets: ToolSecrets): string {
  const encodings = Object.values(secrets).flatMap(listEncodings)
  // Replaces the longest first, because a shorter one may be part of it.
  const ordered = [...new Set(encodings)].sort((a, b) => b.length - a.length)
  return ordered.reduce((redacted, encoding) => redacted.replaceAll(encoding, '[secret]'), text)
}

/** Changes to a tool's secrets: null removes one, and secrets that are left out keep their values. */
export type SecretChanges = Readonly<Record<string, string | null>>

export function mergeSecrets(secrets: ToolSecrets, changes: SecretChanges): ToolSecrets {
  const merged = Object.entries({ ...secrets, ...changes })
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null))
}
