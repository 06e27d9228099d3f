import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import { validate } from '../../core/validate.ts'
import { pageHeaders } from '../../views/page-headers.ts'
import type { Render } from '../../views/render.ts'
import { setFlash } from '../page/flash.ts'
import { type FormState, refusedForm, untouched } from '../page/forms.ts'
import { isMendable } from '../page/page-errors.ts'
import type { Done, View } from '../view.ts'

/** A page with a form that lies outside of every workspace, as that of a new user does. */
interface OpenForm<Form extends z.ZodType> {
  path: string
  form: Form
  /** The page, or where to go instead. */
  show: (request: FastifyRequest) => Promise<View | Done>
  /** `once` is a UUID of the page that was sent, the same for a second sending. */
  submit: (sent: Sent<z.output<Form>>) => Promise<Done>
}

interface Sent<Input> {
  request: FastifyRequest
  reply: FastifyReply
  input: Input
  once: string | undefined
}

/** `GET` shows the form, `POST` to the same address sends it; what was refused is shown again, 422. */
export function mountOpenForm<Form extends z.ZodType>(
  pages: FastifyInstance,
  parts: { render: Render; isSecure: boolean },
  line: OpenForm<Form>,
): void {
  const send = (reply: FastifyReply, result: View | Done, state: FormState, status: number) => {
    if ('to' in result) return go(reply, result)
    const title = state.isRefused ? `Error: ${result.title}` : result.title
    const form = { ...state, csrf: reply.generateCsrf(), once: randomUUID() }
    return reply
      .code(status)
      .headers(pageHeaders())
      .send(parts.render(result.template, { ...result.data, title, form }))
  }

  const go = (reply: FastifyReply, { to, message }: Done) => {
    if (message !== null) setFlash(reply, { kind: 'done', text: message }, parts.isSecure)
    return reply.redirect(to, 303)
  }

  pages.get(line.path, async (request, reply) => send(reply, await line.show(request), untouched, 200))

  pages.post(line.path, async (request, reply) => {
    const raw = rawOf(request)
    try {
      return go(
        reply,
        await line.submit({ request, reply, input: validate(line.form, raw), once: onceOf(raw) }),
      )
    } catch (error) {
      if (!isMendable(error)) throw error
      return send(reply, await line.show(request), refusedForm(raw, error), error.status)
    }
  })
}

const rawOf = ({ body }: FastifyRequest): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? { ...body } : {}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const onceOf = ({ _once }: Record<string, unknown>): string | undefined =>
  typeof _once === 'string' && uuid.test(_once) ? _once : undefined
