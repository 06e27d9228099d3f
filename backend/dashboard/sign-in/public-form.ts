import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import { validate } from '../../core/validate.ts'
import { pageHeaders } from '../../views/page-headers.ts'
import type { Render } from '../../views/render.ts'
import type { Redirect, View } from '../page/define-page.ts'
import { setFlash } from '../page/flash.ts'
import { emptyForm, type FormState, getFormFields, invalidForm } from '../page/forms.ts'
import { isCorrectable } from '../page/page-errors.ts'

/** A page with a form that lies outside of every workspace, as that of a new user does. */
interface PublicForm<Form extends z.ZodType> {
  path: string
  form: Form
  /** The page, or where to go instead. */
  show: (request: FastifyRequest) => Promise<View | Redirect>
  /** `once` is a UUID of the page that was sent, the same for a second sending. */
  submit: (sent: SubmittedForm<z.output<Form>>) => Promise<Redirect>
}

interface SubmittedForm<Input> {
  request: FastifyRequest
  reply: FastifyReply
  input: Input
  formId: string | undefined
}

/** `GET` shows the form, `POST` to the same address sends it; what was refused is shown again, 422. */
export function mountPublicForm<Form extends z.ZodType>(
  pages: FastifyInstance,
  parts: { render: Render; isSecure: boolean },
  route: PublicForm<Form>,
): void {
  const send = (reply: FastifyReply, result: View | Redirect, state: FormState, status: number) => {
    if ('to' in result) return redirect(reply, result)
    const title = state.isInvalid ? `Error: ${result.title}` : result.title
    const form = { ...state, csrf: reply.generateCsrf(), once: randomUUID() }
    return reply
      .code(status)
      .headers(pageHeaders())
      .send(parts.render(result.template, { ...result.data, title, form }))
  }

  const redirect = (reply: FastifyReply, { to, message }: Redirect) => {
    if (message !== null) setFlash(reply, { kind: 'success', text: message }, parts.isSecure)
    return reply.redirect(to, 303)
  }

  pages.get(route.path, async (request, reply) => send(reply, await route.show(request), emptyForm, 200))

  pages.post(route.path, async (request, reply) => {
    const raw = getFormFields(request)
    try {
      return await redirect(
        reply,
        await route.submit({ request, reply, input: validate(route.form, raw), formId: parseFormId(raw) }),
      )
    } catch (error) {
      if (!isCorrectable(error)) throw error
      return send(reply, await route.show(request), invalidForm(raw, error), error.status)
    }
  })
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const parseFormId = ({ _once }: Record<string, unknown>): string | undefined =>
  typeof _once === 'string' && uuidPattern.test(_once) ? _once : undefined
