import { generateKeyPairSync } from 'node:crypto'
import type { ToolRow } from '../../tools/kinds/tool-kind.ts'

/** Returns the built-in tool that appends a row, as it's stored in a workspace. */
export const createAppendTool = (workspaceId: number): ToolRow => ({
  id: 1,
  workspaceId,
  version: 1,
  kind: 'spreadsheet_append',
  name: 'spreadsheet_append',
  description: '',
  inputSchema: {},
  settings: {},
  secrets: null,
})

/** Returns a service account's key file in Google's format, with a new key. */
export function createKeyFile(clientEmail = 'sheets@acme.iam.gserviceaccount.com'): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  return JSON.stringify({ type: 'service_account', client_email: clientEmail, private_key: pem })
}
