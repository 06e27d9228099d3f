import { boundedText } from '@outdial/contract'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { hourMs } from '../../platform/core/durations.ts'
import { csrfCookieName } from '../../platform/http/register-scope.ts'
import { emptyForm, type FormState, listSubmitted } from './forms.ts'

// A form whose session expired is stored in the browser: the sign-in page carries its fields, sealed. After signing in, the
// same user gets the form filled in. The service stores nothing. See docs/decisions/0046-forms-of-expired-sessions.md.

/** How long the user has to sign in. */
const ttlMs = hourMs

/** Maximum size of a form's fields as JSON. Larger forms aren't kept. */
const maxFieldBytes = 32 * 1024

/** Maximum size of the body of a form that may be kept. In bodies, text in some alphabets takes three times as many bytes. */
const maxBodyBytes = 128 * 1024

/** Maximum length of the sealed text that the sign-in form sends: `maxFieldBytes`, sealed and in base64. */
export const maxSealedLength = 48 * 1024

type Sealing = Pick<Deps, 'secretBox' | 'clock'>

/** The user and the form that a sealed text belongs to. Another user or another form can't open it. */
interface FormOfUser {
  userId: number
  /** The path that the form is sent to, which isn't always the path of its page, without the query. */
  path: string
}

/** Returns the value of a form's hidden field that names the user. After the session ends, only this field names the user. */
export const sealAuthor = ({ secretBox }: Pick<Sealing, 'secretBox'>, { path, userId }: FormOfUser): string =>
  secretBox.seal(String(userId), ['form_author', path])

function openAuthor({ secretBox }: Sealing, path: string, sealed: unknown): number | undefined {
  if (typeof sealed !== 'string') return undefined
  try {
    return Number(secretBox.open(sealed, ['form_author', path]))
  } catch {
    return undefined // not from this form
  }
}

const SealedFields = z.object({
  expiresAt: z.number(),
  fields: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  version: z.string().nullable(),
})

/**
 * Seals the fields of a form for the user who opened it, without files and secrets. Returns undefined if the service didn't
 * render the form for a user, or the fields are too long.
 */
export function sealForm(deps: Sealing, path: string, raw: Record<string, unknown>): string | undefined {
  const userId = openAuthor(deps, path, raw._by)
  if (userId === undefined) return undefined
  const content: z.infer<typeof SealedFields> = {
    expiresAt: deps.clock.now().getTime() + ttlMs,
    fields: listSubmitted(raw),
    version: typeof raw._seen === 'string' ? raw._seen : null,
  }
  const text = JSON.stringify(content)
  if (Buffer.byteLength(text) > maxFieldBytes) return undefined
  return deps.secretBox.seal(text, ['sealed_form', path, userId])
}

/** The field of the sign-in page that has the sealed form. */
export const SealedFormField = z
  .object({ _restore: boundedText(maxSealedLength).optional().catch(undefined) })
  .catch({})
  .transform((form) => form._restore)

/** Opens a sealed form. Returns undefined if it belongs to another user or form, was changed, or has expired. */
export function openForm(
  { secretBox, clock }: Sealing,
  { path, userId }: FormOfUser,
  sealed: string,
): FormState | undefined {
  try {
    const content = SealedFields.parse(JSON.parse(secretBox.open(sealed, ['sealed_form', path, userId])))
    if (content.expiresAt <= clock.now().getTime()) return undefined
    const state = { submitted: content.fields, isInvalid: true, isRestored: true, version: content.version }
    return { ...emptyForm, ...state, message: restoredMessage }
  } catch {
    return undefined // not sealed for this user and form
  }
}

const restoredMessage =
  'Nothing was saved yet. Your session expired, so check what you entered and submit the form again.'

/**
 * Returns true for a form that may be kept: a short one that a page of this service sent. Without a session, the body of any
 * other form isn't read. Browsers name the page's origin in at least one of the headers `Sec-Fetch-Site` and `Origin`.
 */
export function mayKeepForm({ headers, cookies }: FastifyRequest, config: Deps['config']): boolean {
  const length = Number(headers['content-length'] ?? Infinity)
  const site = headers['sec-fetch-site']
  const isOwn =
    site === undefined
      ? headers.origin === undefined || headers.origin === new URL(config.publicUrl).origin
      : site === 'same-origin'
  const hasToken = cookies[csrfCookieName(config)] !== undefined
  return isOwn && hasToken && length <= maxBodyBytes && headers['hx-request'] === undefined
}
