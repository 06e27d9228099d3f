import { trimmedText } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../platform/core/errors.ts'
import { toPage } from '../../platform/core/pagination.ts'
import { pager, time } from '../../platform/views/elements.ts'
import { createTimeFormats, formatContactName } from '../../platform/views/format.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { findDoNotCallEntry, findDoNotCallRemovals } from '../../queue/calls/check-do-not-call.ts'
import { findWaits } from '../../queue/calls/when-and-why.ts'
import { addNote, findNotes } from '../../queue/contacts/contact-notes.ts'
import { findContact } from '../../queue/contacts/find-contacts.ts'
import { formatLocalTime } from '../../queue/scheduling/local-time.ts'
import { timeZoneOfContact } from '../../queue/scheduling/time-zones.ts'
import { defineForm, definePage, defineView, redirectTo, type View } from '../page/define-page.ts'
import { OptionalId } from '../page/forms.ts'
import { IdParams, type IdPathContext, type PageContext, pathTo } from '../page/page-context.ts'
import { describeActor, toText } from '../stories/describe-actor.ts'
import { formatWaitNote } from '../stories/describe-waiting.ts'
import { type CallsOfContact, contactCalls } from './contact-calls.ts'
import { readHistory } from './contact-history-section.ts'
import { selectCallsOfContact } from './contact-queries.ts'
import { contactView, type DoNotCallStatus } from './contact-view.ts'

interface ErasedData extends CallsOfContact {
  erasedAt: Date
  older: string | null
}

const erasedContactView = defineView(
  ({ ui }, { erasedAt, calls, waitNotes, older }: ErasedData) => html`
    <a class="crumb" href="${ui.to('/contacts')}">${icon('back')} Contacts</a>
    <h1>Erased contact</h1>
    <p class="notice" data-tone="warn">
      This contact was erased ${time(ui, erasedAt, 'phrase')}. Its
      data was deleted, and it can't be called. Notes, variables, conversations, and metadata of other contacts weren't
      changed. If the number was on the do-not-call list, it's still there.
    </p>
    <section class="panel flush" aria-labelledby="calls">
      <h2 id="calls">Calls</h2>
      ${
        calls.length === 0
          ? html`<div class="empty"><p>No calls.</p></div>`
          : html`
            ${contactCalls(ui, { calls, waitNotes })}
            ${pager({ previous: null, next: older })}
          `
      }
    </section>
  `,
)

const maxCalls = 25

const maxNotes = 50

export const ContactQuery = z.object({ before: OptionalId })

export const contactPage = definePage({ params: IdParams, query: ContactQuery, show: showContact })

export async function showContact(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  context: PageContext<z.output<typeof ContactQuery>, z.output<typeof IdParams>>,
): Promise<View> {
  const { db, clock } = deps
  const {
    workspace,
    query,
    params: { id },
  } = context
  const contact = await findContact(db, workspace.id, id)
  if (contact === undefined) throw notFound('contact')
  const found = await selectCallsOfContact(db, workspace.id, id, {
    before: query.before ?? null,
    limit: maxCalls + 1,
  })
  const { items, hasMore } = toPage(found, maxCalls)
  const queued = items.filter(({ status }) => status === 'queued')
  const now = clock.now()
  const timeFormats = createTimeFormats(now, workspace.timeZone)
  const waits = await findWaits(
    deps,
    workspace.id,
    queued.map((call) => call.id),
    now,
  )
  const calls = {
    calls: items,
    waitNotes: new Map([...waits].map(([callId, wait]) => [callId, formatWaitNote(wait, now, timeFormats)])),
  }
  const older = hasMore ? pathTo(context, `/contacts/${id}?before=${items.at(-1)?.id ?? 1}`) : null
  const { erased_at: erasedAt } = contact
  if (erasedAt !== null) return erasedContactView('Erased contact', { erasedAt, ...calls, older })

  const zone = timeZoneOfContact(contact)
  return contactView(formatContactName(contact, contact.phone_number), {
    ...(await findDoNotCallStatus(deps, workspace.id, contact.phone_number)),
    contact,
    localTime:
      zone === undefined
        ? null
        : {
            text: formatLocalTime(now, zone),
            source:
              contact.time_zone === null ? 'Detected from the phone number' : "From the contact's time zone",
          },
    history: await readHistory(db, workspace.id, id),
    notes: await findNotes(db, workspace.id, id, maxNotes),
    ...calls,
    older,
  })
}

const contactPath = (context: IdPathContext) => pathTo(context, `/contacts/${context.params.id}`)

/** The form for notes on the contact's page. Shows the page again, with the note, if the note is too long. */
export const addNotePage = defineForm({
  params: IdParams,
  query: ContactQuery,
  form: z.object({ text: trimmedText(2000) }),
  show: showContact,
  submit: async (tx, context, { text }) => {
    await addNote(tx, context.workspace.id, context.params.id, { callId: null, text })
    return redirectTo(contactPath(context), 'Note added.')
  },
})

/** Finds a number's entry on the do-not-call list and its earlier removals. */
export async function findDoNotCallStatus(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  phoneNumber: string,
): Promise<DoNotCallStatus> {
  const doNotCall = await findDoNotCallEntry(db, workspaceId, phoneNumber)
  const removals = await findDoNotCallRemovals(db, workspaceId, phoneNumber)
  return {
    doNotCall:
      doNotCall === undefined
        ? null
        : {
            source:
              doNotCall.addedBy === null
                ? formatDoNotCallSource(doNotCall.source)
                : `added by ${toText(await describeActor(db, workspaceId, doNotCall.addedBy))}`,
            reason: doNotCall.reason ?? '',
            since: doNotCall.since,
          },
    removals: removals.map(({ source, reason, at, by }) => ({
      source: formatDoNotCallSource(source),
      reason,
      at,
      by: by ?? 'a former user',
    })),
  }
}

const doNotCallSources: Record<string, string> = {
  api: 'added by an app or a Zap',
  dashboard: 'added in Outdial, by a member or an import',
  call: 'added when the contact opted out on a call',
}

/** Returns how the number got on the do-not-call list. */
const formatDoNotCallSource = (source: string): string => doNotCallSources[source] ?? source
