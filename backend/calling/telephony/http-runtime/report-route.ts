import { runtimeErrorTexts, RuntimeReport, toErrorMessage } from '@outdial/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Deps } from '../../../deps.ts'
import { ApiError } from '../../../platform/core/errors.ts'
import { attemptReportsPath } from '../../../platform/core/runtime-paths.ts'
import { NoQuery, validate } from '../../../platform/core/validate.ts'
import { hasBody, parseJson, requireJson } from '../../../platform/http/read-body.ts'
import { registerScope } from '../../../platform/http/register-scope.ts'
import { createRuntimeCredentialVerifier } from '../../../platform/secrets/verify-runtime-credential.ts'
import type { LateResults } from '../provider.ts'
import { receiveReport } from './receive-report.ts'
import { noteRepairs, repairReport } from './repair-report.ts'

/** Mounts the route for reports of agent runtimes (docs/reference/runtime.md). Any process can receive a report. */
export async function mountReportRoute(
  app: FastifyInstance,
  deps: Pick<
    Deps,
    'config' | 'runtimeSecrets' | 'attemptTokenKey' | 'db' | 'clock' | 'log' | 'metrics' | 'notify'
  >,
  lateResults: LateResults,
): Promise<void> {
  const credentials = createRuntimeCredentialVerifier(deps)

  const authenticate = ({ headers }: FastifyRequest) => {
    try {
      return credentials.require(headers, new URLSearchParams())
    } catch (error) {
      throw error instanceof ApiError ? toRuntimeApiError(error) : error
    }
  }

  const requireCredential = async (request: FastifyRequest) => {
    const { attemptId } = authenticate(request)
    // An attempt token can't access other attempts. The error is a 404, as for any object that a credential can't access.
    if (attemptId !== undefined && attemptId !== parseAttemptId(request))
      throw new ApiError('not_found.attempt')
    request.credentialKey = `attempt:${parseAttemptId(request)}`
  }

  const requireJsonBody = async (request: FastifyRequest) => {
    if (hasBody(request)) requireJson(request.headers)
  }

  await registerScope(app, 'internal', (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, bytes: Buffer) =>
      parseJson(bytes, maxBodyValues),
    )
    scope.post(
      attemptReportsPath(':id'),
      {
        bodyLimit: 4 * 1024 * 1024,
        config: { requiresBearer: true },
        onRequest: [requireCredential, requireJsonBody],
        schema: { hide: true },
      },
      async (request, reply) => {
        const attemptId = parseAttemptId(request)
        validate(NoQuery, request.query)
        const body = hasBody(request) ? request.body : parseJson(Buffer.alloc(0))
        const { value, changes } = repairReport(body)
        const report = validate(RuntimeReport, value, { maxValues: maxReportValues, keepEmptied: true })
        const byToken = authenticate(request).attemptId !== undefined
        const result = await receiveReport({ ...deps, lateResults }, attemptId, report, { byToken, changes })
        if (result === 'ended') return sendAttemptEnded(request, reply)
        if (result === 'recorded' && changes.length > 0) noteRepairs(deps, attemptId, [changes])
        return { attempt_id: attemptId, sequence: report.sequence }
      },
    )
  })
}

/** Maximum JSON values of a body. The longest transcript has a fifth as many. Parsing more would take over half a second. */
const maxBodyValues = 100_000

/** Maximum JSON values of a report. The longest transcript has 5,000 turns of three fields. */
const maxReportValues = 25_000

/** Replaces the message: it mentions the query parameter of tool sessions, which this route doesn't accept. */
const toRuntimeApiError = ({ code }: ApiError) =>
  new ApiError(code === 'missing_credential' ? 'missing_credential.runtime' : 'invalid_credential.runtime')

const PathParams = z.object({ id: z.uuid() })

function parseAttemptId({ params }: FastifyRequest): string {
  const path = PathParams.safeParse(params)
  if (!path.success) throw new ApiError('not_found.attempt')
  return path.data.id.toLowerCase()
}

const sendAttemptEnded = (request: FastifyRequest, reply: FastifyReply) =>
  reply.code(409).send({
    error: {
      type: 'conflict',
      code: 'attempt_ended',
      message: toErrorMessage(runtimeErrorTexts.attempt_ended),
      details: [],
      request_id: request.id,
    },
  })
