import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { BrowserAuth } from '../../accounts/sign-in/browser-auth.ts'
import { validate } from '../../platform/core/validate.ts'
import { publicForm } from '../../platform/http/http-limits.ts'
import { pageHeaders } from '../../platform/views/page-headers.ts'
import { publicLayout } from '../../platform/views/public-layout.ts'
import type { PublicPage, Redirect, View } from '../page/define-page.ts'
import { setFlash } from '../page/flash.ts'
import { createFormModel, emptyForm, type FormState, getFormFields, invalidForm } from '../page/forms.ts'
import { isCorrectable } from '../page/page-errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The schema of a public form. */
    form?: z.ZodType
  }
}

/** Maximum length of a field of a public form whose actual limit the operation checks. */
export const maxPublicTextLength = 4_000

/** The context that every public form gets. `path` is its key in `publicForms`. */
export interface PublicFormParts {
  path: string
  browserAuth: BrowserAuth
  isSecure: boolean
}

/** A page with a form that doesn't belong to a workspace, such as sign-up. */
interface PublicForm<Form extends z.ZodType> {
  form: Form
  /** Returns the page, or a redirect. */
  show: (request: FastifyRequest) => Promise<View<PublicPage> | Redirect>
  submit: (sent: SubmittedForm<z.output<Form>>) => Promise<Redirect>
}

interface SubmittedForm<Input> {
  request: FastifyRequest
  reply: FastifyReply
  input: Input
  /** UUID of the page that was submitted. A second submission has the same one. */
  formId: string | undefined
}

/** Mounts a form: `GET` shows it, `POST` to the same path submits it. An error shows the form again. */
export function mountPublicForm<Form extends z.ZodType>(
  pages: FastifyInstance,
  parts: PublicFormParts,
  route: PublicForm<Form>,
): void {
  const send = (
    reply: FastifyReply,
    result: View<PublicPage> | Redirect,
    state: FormState,
    status: number,
  ) => {
    if ('to' in result) return redirect(reply, result)
    const title = state.isInvalid ? `Error: ${result.title}` : result.title
    const page = { title, form: createFormModel(state, reply.generateCsrf()) }
    return reply
      .code(status)
      .headers(pageHeaders())
      .send(String(publicLayout(page, result.toMarkup(page))))
  }

  const redirect = (reply: FastifyReply, { to, message }: Redirect) => {
    if (message !== null) setFlash(reply, { kind: 'success', text: message }, parts.isSecure)
    return reply.redirect(to, 303)
  }

  pages.get(parts.path, async (request, reply) => send(reply, await route.show(request), emptyForm, 200))

  pages.post(parts.path, { ...publicForm, config: { form: route.form } }, async (request, reply) => {
    const raw = getFormFields(request)
    const formId = FormId.parse(raw._once)
    try {
      return await redirect(
        reply,
        await route.submit({ request, reply, input: validate(route.form, raw), formId }),
      )
    } catch (error) {
      if (!isCorrectable(error)) throw error
      return send(reply, await route.show(request), invalidForm(raw, error), error.status)
    }
  })
}

const FormId = z.guid().optional().catch(undefined)
