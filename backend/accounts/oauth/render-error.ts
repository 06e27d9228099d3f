import type { FastifyReply, FastifyRequest } from 'fastify'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { ApiError, describeError, errorCode } from '../../platform/core/errors.ts'
import { findCause, toApiError } from '../../platform/http/error-handler.ts'
import {
  authorizationExpiredError,
  internalServiceError,
  outdatedFormError,
  PageError,
  serviceUnavailableError,
} from '../../platform/views/page-error.ts'
import { pageHeaders } from '../../platform/views/page-headers.ts'
import { errorPage } from '../../platform/views/pages/error.ts'
import type { RenderError } from './create-provider.ts'

/** Handles errors of the consent pages. */
export function handlePageError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const pageError = toPageError(findCause(error, request))
  if (pageError.status >= 500)
    request.log.error({ error: describeError(error) }, 'failed to handle a page request')
  void reply
    .code(pageError.status)
    .headers({ ...pageHeaders(), ...(error instanceof ApiError && error.headers) })
    .send(renderErrorPage(pageError, request.id))
}

/** Renders an oidc-provider error that can't be sent to an app, such as an unknown app or redirect URI. */
export const renderProviderError: RenderError = (ctx: KoaContextWithOIDC, out, error) => {
  const pageError = toPageError(error, out.error_description)
  ctx.status = pageError.status
  ctx.set(pageHeaders())
  ctx.body = renderErrorPage(pageError, ctx.response.get('x-request-id'))
}

const renderErrorPage = ({ title, message, advice, status }: PageError, requestId: string): string =>
  String(errorPage({ title, message, advice, reference: status >= 500 ? requestId : null, home: null }))

function toPageError(error: unknown, description?: string): PageError {
  if (error instanceof PageError) return error
  if (error instanceof errors.SessionNotFound) return authorizationExpiredError()
  if (error instanceof errors.InvalidClient) {
    return new PageError(400, {
      title: 'Unknown app',
      message: "The app that sent you here isn't registered with Outdial.",
      advice: "Ask the app's administrator to check its client ID.",
    })
  }
  if (error instanceof errors.InvalidRedirectUri) {
    return new PageError(400, {
      title: 'Unknown redirect URI',
      message: "The app's redirect URI isn't registered with Outdial.",
      advice:
        "Ask the app's administrator to check its redirect URI. It must match the registered one exactly.",
    })
  }
  if (error instanceof errors.OIDCProviderError && error.expose) {
    return new PageError(error.statusCode, {
      title: "The app's request isn't valid",
      message: `Outdial couldn't process the request from the app that sent you here: ${description ?? error.message}.`,
      advice: "Go back to the app and try again. If this keeps happening, contact the app's administrator.",
    })
  }
  if (errorCode(error).startsWith('FST_CSRF')) return outdatedFormError()
  const { code, status, message } = toApiError(error)
  if (code === 'unavailable') return serviceUnavailableError()
  if (status >= 500) return internalServiceError()
  return new PageError(status, { title: 'Something went wrong', message, advice: 'Go back and try again.' })
}
