import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { ApiError } from '../../platform/core/errors.ts'
import { canonicalJson } from '../../platform/core/text.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { hashRequest, respondOnce } from '../../platform/idempotency/idempotency.ts'
import { type Redirect, redirectTo, type View } from './define-page.ts'
import type { PageContext } from './page-context.ts'

/** How often a second submission checks if the first one is done. */
const polling = { maxPolls: 100, delayMs: 100 }

/**
 * Does a form's work once, in a transaction. A second submission of the same page with the same content redirects to where the
 * first one did. If the first one's response was a page that is shown only once, the second one redirects to the form with a
 * message: such a page can contain a secret, so it isn't stored.
 */
export async function submitOnce<
  Scope extends Pick<Deps, 'db' | 'clock' | 'notify'>,
  Result extends Redirect | View,
>(
  deps: Scope,
  context: PageContext,
  form: { path: string; raw: Record<string, unknown> },
  work: (deps: Scope) => Promise<Result>,
): Promise<Redirect | Result> {
  const token = form.raw._once
  if (typeof token !== 'string' || !/^[\w-]{1,100}$/.test(token)) return inTransaction(deps, work)
  const body = hashForm(form.raw)
  const { caller } = context
  const request = hashRequest({ caller, method: 'POST', path: form.path, key: `${token} ${body}`, body })
  let view: Result | undefined
  for (let poll = 1; ; poll += 1) {
    try {
      const { body: response } = await respondOnce(deps, caller.workspaceId, request, async (tx) => {
        const result = await work(tx)
        if ('to' in result) return { status: 303, body: result }
        view = result
        return { status: 303, body: alreadyShown(form.path) }
      })
      return view ?? parseRedirect(response, form.path)
    } catch (error) {
      const isFirstRunning = error instanceof ApiError && error.code === 'idempotency_key_in_use'
      if (!isFirstRunning || poll === polling.maxPolls) throw error
      await pause(polling.delayMs)
    }
  }
}

/**
 * Records the submission of a form and commits it before its work begins, so that no transaction waits for another
 * service. Returns false if the form was already submitted.
 */
export async function markSubmitted(
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  context: PageContext,
  path: string,
  raw: Record<string, unknown>,
): Promise<boolean> {
  let isFirst = false
  await submitOnce(deps, context, { path, raw }, async () => {
    isFirst = true
    return redirectTo(path)
  })
  return isFirst
}

/** Hashes the content of a form. Skips the CSRF token, which is different on every page. Hashes the bytes of a file. */
function hashForm(raw: Record<string, unknown>): string {
  const hash = createHash('sha256')
  for (const [name, value] of Object.entries(raw)) {
    if (name === '_csrf') continue
    hash.update(`${JSON.stringify(name)}:`)
    hash.update(isFile(value) ? value.bytes : canonicalJson(value))
  }
  return hash.digest('base64url')
}

const isFile = (value: unknown): value is { bytes: Buffer } =>
  typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes)

const alreadySent = (to: string): Redirect => ({
  to,
  message: "This form was already submitted. It wasn't submitted again.",
})

const alreadyShown = (to: string): Redirect => ({
  to,
  message:
    "This form was already submitted, and its secret or link can't be shown again. If you didn't copy it, create a new one.",
})

function parseRedirect(response: unknown, path: string): Redirect {
  if (
    typeof response !== 'object' ||
    response === null ||
    !('to' in response) ||
    typeof response.to !== 'string'
  ) {
    return alreadySent(path)
  }
  const message = 'message' in response && typeof response.message === 'string' ? response.message : null
  const undo = 'undo' in response && typeof response.undo === 'string' ? response.undo : undefined
  return { to: response.to, message, ...(undo !== undefined && { undo }) }
}
