import type { ToolSecrets } from '../custom/tool-secrets.ts'

/** Changes of a tool's secrets: what is left out stays, null takes away. They can be written, never read. */
export type SecretChanges = Readonly<Record<string, string | null>>

export function mergeSecrets(secrets: ToolSecrets, changes: SecretChanges): ToolSecrets {
  const merged = Object.entries({ ...secrets, ...changes })
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null))
}
