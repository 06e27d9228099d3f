import { RuntimeReport } from '@outdial/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { ApiError, notFound } from '../core/errors.ts'
import { attemptReportsPath } from '../core/runtime-paths.ts'
import { validate } from '../core/validate.ts'
import type { Deps } from '../deps.ts'
import { receiveReport } from '../dialer/receive-report.ts'
import { hasBody, parseJson, requireJson } from '../http/read-body.ts'
import { registerScope } from '../http/register-scope.ts'
import { createRuntimeSecretVerifier } from '../secrets/verify-runtime-secret.ts'
import { NoQuery } from './define-route.ts'

/** Mounts the route for reports of agent runtimes (docs/runtime.md). Any process can receive a report. */
export async function mountRuntimeRoutes(
  app: FastifyInstance,
  deps: Pick<Deps, 'runtimeSecrets' | 'db' | 'clock' | 'notify'>,
): Promise<void> {
  const secrets = createRuntimeSecretVerifier(deps.runtimeSecrets)

  const requireSecret = async ({ headers }: FastifyRequest) => {
    try {
      secrets.require(headers, new URLSearchParams())
    } catch (error) {
      throw error instanceof ApiError ? toRuntimeApiError(error) : error
    }
  }

  const requireJsonBody = async (request: FastifyRequest) => {
    if (hasBody(request)) requireJson(request.headers)
  }

  await registerScope(app, 'internal', (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, bytes: Buffer) =>
      parseJson(bytes),
    )
    scope.post(
      attemptReportsPath(':id'),
      {
        onRequest: [requireSecret, requireJsonBody],
        schema: { hide: true },
      },
      async (request, reply) => {
        const attemptId = parseAttemptId(request)
        validate(NoQuery, request.query)
        const body = hasBody(request) ? request.body : parseJson(Buffer.alloc(0))
        const report = validate(RuntimeReport, body, maxReportValues)
        if ((await receiveReport(deps, attemptId, report)) === 'ended')
          return sendAttemptEnded(request, reply)
        return { attempt_id: attemptId, sequence: report.sequence }
      },
    )
  })
}

/** The longest transcript has 5,000 turns of three fields. */
const maxReportValues = 25_000

/** Replaces the message, which also mentions the query parameter of tool sessions. This route doesn't accept it. */
const toRuntimeApiError = ({ code }: ApiError) =>
  code === 'missing_credential'
    ? new ApiError(
        'missing_credential',
        'The request has no runtime secret. Send it in the header Authorization: Bearer or X-Agent-Secret.',
      )
    : new ApiError(
        'invalid_credential',
        "This runtime secret isn't valid. Use the value of Outdial's environment variable RUNTIME_SECRET.",
      )

const PathParams = z.object({ id: z.uuid() })

function parseAttemptId({ params }: FastifyRequest): string {
  const path = PathParams.safeParse(params)
  if (!path.success) throw notFound('There is no call attempt with this ID. Check the ID.')
  return path.data.id.toLowerCase()
}

const sendAttemptEnded = (request: FastifyRequest, reply: FastifyReply) =>
  reply.code(409).send({
    error: {
      type: 'conflict',
      code: 'attempt_ended',
      message: "This call attempt has ended, so the report wasn't saved. Don't send it again.",
      details: [],
      request_id: request.id,
    },
  })
