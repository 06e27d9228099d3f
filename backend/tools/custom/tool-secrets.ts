import type { SecretBox } from '../../secrets/secret-box.ts'

/** Secrets of a tool by name. */
export type ToolSecrets = Readonly<Record<string, string>>

/** As `mcp_tool.secrets` keeps them; null where there are none. */
export const sealSecrets = (secretBox: SecretBox, secrets: ToolSecrets): string | null =>
  Object.keys(secrets).length === 0 ? null : secretBox.seal(JSON.stringify(secrets))

/** @throws where no key of SECRET_KEY opens them */
export const openSecrets = (secretBox: SecretBox, sealed: string | null): ToolSecrets =>
  sealed === null ? {} : (JSON.parse(secretBox.open(sealed)) as ToolSecrets)

const secretReference = /\{\{\s*secret\.([A-Za-z][A-Za-z0-9_]*)\s*\}\}/g

/** Names of the secrets that a text refers to as `{{secret.NAME}}`. */
export const findSecretNames = (text: string): string[] =>
  [...text.matchAll(secretReference)].map(([, name = '']) => name)

/** Puts secrets where a text refers to them. Tools are checked when they are saved: none is missing here. */
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
    bytes.toString('base64').replace(/=+$/, ''),
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

/** What a server answers may echo what it was sent: secrets are taken out in every spelling that it may use. */
export function redactSecrets(text: string, secrets: ToolSecrets): string {
  const encodings = Object.values(secrets).flatMap(listEncodings)
  // The longest first: one may be a part of another.
  const ordered = [...new Set(encodings)].sort((a, b) => b.length - a.length)
  return ordered.reduce((redacted, encoding) => redacted.replaceAll(encoding, '[secret]'), text)
}

/** Changes of a tool's secrets: what is left out stays, null takes away. They can be written, never read. */
export type SecretChanges = Readonly<Record<string, string | null>>

export function mergeSecrets(secrets: ToolSecrets, changes: SecretChanges): ToolSecrets {
  const merged = Object.entries({ ...secrets, ...changes })
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null))
}
