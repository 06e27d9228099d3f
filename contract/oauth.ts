import * as z from 'zod'
import { Id } from './primitives.ts'

/** The permissions that a credential can have. */
export const Scope = z.enum([
  'agents:read',
  'campaigns:read',
  'campaigns:write',
  'phone_numbers:read',
  'contacts:write',
  'calls:read',
  'calls:write',
  'webhooks:write',
])
export type Scope = z.infer<typeof Scope>

/**
 * Response to `POST /oauth/token` (RFC 6749, section 5.1), with the workspace that the user chose on the consent page.
 * `user_email` is the email of that user; responses of earlier versions don't have it.
 */
export const TokenResponse = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  refresh_token: z.string().optional(),
  scope: z.string(),
  workspace_id: Id,
  workspace_name: z.string(),
  user_email: z.string().optional(),
})
export type TokenResponse = z.infer<typeof TokenResponse>
