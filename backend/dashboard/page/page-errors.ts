import { ApiError } from '../../platform/core/errors.ts'
import { toApiError } from '../../platform/http/error-handler.ts'
import { outdatedFormError, PageError } from '../../platform/views/page-error.ts'

export const pageNotFound = () =>
  new PageError(404, {
    title: 'Page not found',
    message: "This page doesn't exist, or it's in a workspace that you're not a member of.",
    advice: 'Check the URL, or go to the overview.',
  })

/** Returns an error for a form that browsers don't send. */
export const unreadableFormError = (status: 400 | 413 | 415) =>
  new PageError(status, {
    title: "The form couldn't be submitted",
    message:
      status === 413 ? 'The form is too large.' : 'The form was incomplete or in an unsupported format.',
    advice:
      status === 413
        ? 'Go back, shorten the text or choose a smaller file, and try again.'
        : 'Go back and try again.',
  })

/** Converts any error to one that a dashboard page can show. */
export function toPageError(error: unknown): PageError {
  if (error instanceof PageError) return error
  if (isCsrfError(error)) return outdatedFormError()
  if (isUnsupportedForm(error)) return unreadableFormError(415)
  const apiError = toApiError(error)
  if (apiError.code === 'not_found') return pageNotFound()
  if (apiError.code === 'unavailable') return serviceUnavailable()
  if (apiError.status < 500) {
    const advice = 'Go back and try again.'
    return new PageError(apiError.status, {
      title: 'Something went wrong',
      message: apiError.message,
      advice,
    })
  }
  return internalError()
}

const serviceUnavailable = () =>
  new PageError(503, {
    title: 'Outdial is temporarily unavailable',
    message: "The page couldn't be loaded. Queued calls stay queued.",
    advice: 'Reload the page in a minute.',
  })

const internalError = () =>
  new PageError(500, {
    title: 'Something went wrong on our side',
    message: "The page couldn't be loaded.",
    advice: 'Try again in a minute. If this keeps happening, contact support and include the support ID.',
  })

const isCsrfError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  error.code.startsWith('FST_CSRF')

const isUnsupportedForm = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'

/** Returns true for an error that a form can show, because the user can correct it. */
export const isCorrectable = (error: unknown): error is ApiError =>
  error instanceof ApiError && [409, 413, 422, 429].includes(error.status)
