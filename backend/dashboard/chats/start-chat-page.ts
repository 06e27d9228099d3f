import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import { type ChatContact, startChat } from '../../calling/chats/start-chat.ts'
import type { Deps } from '../../deps.ts'
import { invalidField } from '../../platform/core/form-errors.ts'
import { toStorableText } from '../../platform/core/text.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { getAgent, getNewestVersion } from '../agents/agent-queries.ts'
import { defineForm, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { anyField, trimmedField } from '../page/forms.ts'
import { type IdContext, IdParams, pathTo } from '../page/page-context.ts'
import { requireModel } from './chat-context.ts'
import { findTypedContact, selectNewestContacts } from './chat-queries.ts'
import { maxSampleLength, type StartChatData, startChatForm, variablePrefix } from './start-chat-form.ts'

const startChatView = defineView(
  ({ ui, form }, { agent, start }: { agent: { id: number; name: string }; start: StartChatData }) => html`
    <a class="crumb" href="${ui.to(`/agents/${agent.id}`)}">${icon('back')} ${agent.name}</a>
    <h1>Chat with ${agent.name}</h1>
    <section class="panel" aria-label="Chat">${startChatForm(form.sentTo(start.action), start)}</section>
  `,
)

const typed = boundedText(maxSampleLength).default('')

const StartChat = z
  .object({ contact: typed, first_name: typed, last_name: typed })
  .catchall(anyField(maxSampleLength))

/** Starts a chat. The agent's page has the same form; this page shows it again after an error. */
export const startChatPage = defineForm({
  params: IdParams,
  query: noInput,
  form: StartChat,
  show: async (deps, context) => {
    const { workspace, params } = context
    const agent = await getAgent(deps, workspace.id, params.id)
    const { variables } = await getNewestVersion(deps, workspace.id, params.id)
    return startChatView(`Chat with ${agent.name}`, {
      agent,
      start: {
        action: pathTo(context, `/agents/${params.id}/chats/new`),
        variables,
        contacts: await selectNewestContacts(deps.db, workspace.id),
      },
    })
  },
  submit: async (tx, context, fields) => {
    const { variables } = await getNewestVersion(tx, context.workspace.id, context.params.id)
    const model = requireModel(tx)
    const contact = await readContact(tx, context, fields, variables)
    const { id } = await startChat({ ...tx, model }, context.caller, context.params.id, contact)
    return redirectTo(pathTo(context, `/agents/${context.params.id}/chats/${id}`))
  },
})

async function readContact(
  { db }: Pick<Deps, 'db'>,
  { workspace }: Pick<IdContext, 'workspace'>,
  fields: z.output<typeof StartChat>,
  variables: readonly string[],
): Promise<ChatContact> {
  const search = toStorableText(fields.contact.trim())
  if (search !== '') {
    const contact = await findTypedContact(db, workspace, search)
    if (contact === undefined) throw unknownContact()
    return { contactId: contact.id }
  }
  const read = (name: string) => toStorableText(trimmedField(fields, name))
  const values = variables.map((name) => [name, read(`${variablePrefix}${name}`)] as const)
  return {
    sampleValues: {
      first_name: read('first_name') || null,
      last_name: read('last_name') || null,
      variables: Object.fromEntries(values.filter(([, value]) => value !== '')),
    },
  }
}

const unknownContact = () =>
  invalidField(
    'contact',
    'not_found',
    'No contact has this phone number, email, or ID. Check it, or leave the field blank for the sample values.',
  )
