import { ApiError } from '../../core/errors.ts'
import { toApiError } from '../../http/error-handler.ts'
import { outdatedFormError, PageError } from '../../views/page-error.ts'

export const pageNotFound = () =>
  new PageError(404, {
    title: 'Page not found',
    message: "This page doesn't exist, or it's in a workspace that you're not a member of.",
    advice: 'Check the URL, or go to the overview.',
  })

/** What came is no form that a browser sends. */
export const unreadableFormError = (status: 400 | 413 | 415) =>
  new PageError(status, {
    title: "The form couldn't be submitted",
    message:
      status === 413 ? "It's too large." : 'Your browser sent it incompletely or in an unsupported format.',
    advice: 'Go back and try again.',
  })

/** What a person is shown of an error on a page of the dashboard. */
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
    advice: 'Try again in a minute. If this keeps happening, contact support with this ID.',
  })

const isCsrfError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  error.code.startsWith('FST_CSRF')

const isUnsupportedForm = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'

/** Returns true for an error that a form shows beside its fields, because the person can correct it. */
export const isCorrectable = (error: unknown): error is ApiError =>
  error instanceof ApiError && [409, 413, 422, 429].includes(error.status)
