import type { SecretBox } from '../../secrets/secret-box.ts'

/** Secrets of a tool by name. */
export type ToolSecrets = Readonly<Record<string, string>>

/** As `mcp_tool.secrets` keeps them; null where there are none. */
export const sealSecrets = (box: SecretBox, secrets: ToolSecrets): string | null =>
  Object.keys(secrets).length === 0 ? null : box.seal(JSON.stringify(secrets))

/** @throws where no key of SECRET_KEY opens them */
export const openSecrets = (box: SecretBox, sealed: string | null): ToolSecrets =>
  sealed === null ? {} : (JSON.parse(box.open(sealed)) as ToolSecrets)

const reference = /\{\{\s*secret\.([A-Za-z][A-Za-z0-9_]*)\s*\}\}/g

/** Names of the secrets that a text refers to as `{{secret.NAME}}`. */
export const secretsNamedIn = (text: string): string[] =>
  [...text.matchAll(reference)].map(([, name = '']) => name)

/** Puts secrets where a text refers to them. Tools are checked when they are saved: none is missing here. */
export const fillSecrets = (
  text: string,
  secrets: ToolSecrets,
  encode: (value: string) => string = String,
): string => text.replace(reference, (_match, name: string) => encode(secrets[name] ?? ''))

function spellingsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const inAddress = encodeURIComponent(secret)
  const inForm = new URLSearchParams({ secret }).toString().slice('secret='.length)
  const lowerCase = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  const bytes = Buffer.from(secret)
  return [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    ...[inAddress, inForm].flatMap((text) => [text, lowerCase(text)]),
    ...["'", '&#39;', '&#x27;', '&apos;'].map((apostrophe) => inHtml(secret, apostrophe)),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
}

const inHtml = (text: string, apostrophe: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", apostrophe)

/** What a server answers may echo what it was sent: secrets are taken out in every spelling that it may use. */
export function redactSecrets(text: string, secrets: ToolSecrets): string {
  const spellings = Object.values(secrets).flatMap(spellingsOf)
  // The longest first: one may be a part of another.
  const ordered = [...new Set(spellings)].sort((a, b) => b.length - a.length)
  return ordered.reduce((redacted, spelling) => redacted.replaceAll(spelling, '[secret]'), text)
}
