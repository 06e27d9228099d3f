import { trimmedText } from '@outdial/contract'
import * as z from 'zod'
import { toPage } from '../../platform/core/pagination.ts'
import { parsePhone } from '../../platform/core/phone.ts'
import { callBadge } from '../../platform/views/badges.ts'
import { badge, pager, time } from '../../platform/views/elements.ts'
import { formatContactName } from '../../platform/views/format.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import { definePage, defineView } from '../page/define-page.ts'
import { filterSelect } from '../page/filter-select.ts'
import { OptionalId } from '../page/forms.ts'
import { findImportFilter, type ImportFilter } from '../page/import-filter.ts'
import { type PageContext, pathTo } from '../page/page-context.ts'
import type { Ui } from '../page/page-model.ts'
import { searchForm } from '../page/search-form.ts'
import { type ContactPosition, hasContacts, type ListedContact, searchContacts } from './contact-queries.ts'

interface ListData {
  rows: readonly ListedContact[]
  search: string
  list: 'do_not_call' | 'callable' | ''
  hasAny: boolean
  importId: number | null
  importFilter: ImportFilter | null
  exportPath: string
  previous: string | null
  next: string | null
}

const contactListView = defineView(
  (
    { ui },
    { hasAny, exportPath, search, list, importId, importFilter, rows, previous, next }: ListData,
  ) => html`
    <div class="page-head">
      <div>
        <h1>Contacts</h1>
        <p class="lead">The people your agents can call. Each phone number is one contact.</p>
      </div>
      <div class="page-head-actions">
        <a class="button primary small" href="${ui.to('/contacts/new')}">New contact</a>
        <a class="button quiet small" href="${ui.to('/contacts/import')}">Import contacts</a>
        ${hasAny && html`<a class="button quiet small" href="${exportPath}">Export contacts</a>`}
        <a class="button quiet small" href="${ui.to('/contacts/do-not-call')}">Do-not-call list</a>
      </div>
    </div>
    ${searchForm(
      ui,
      {
        path: '/contacts',
        target: '#results',
        search: { value: search, placeholder: 'Name, phone, email, external ID' },
        button: 'Show',
        swap: 'outerHTML',
      },
      [
        filterSelect({ name: 'list', label: 'Do-not-call list', chosen: list, options: listOptions }),
        importId === null ? null : html`<input type="hidden" name="import" value="${importId}">`,
      ],
    )}
    <div id="results" class="panel flush">
      ${
        importFilter
          ? html`
            <div class="row list-filter">
              <span>From import: <strong>${importFilter.name}</strong></span>
              <a class="button quiet small" href="${importFilter.removePath}">Remove filter</a>
            </div>
          `
          : null
      }
      ${
        rows.length === 0
          ? html`
            <div class="empty">
              ${
                hasAny
                  ? html`
                    <p><strong>No matching contacts.</strong></p>
                    ${search ? html`<p>Search by any part of a name, email, external ID, or phone number.</p>` : null}
                    <a class="button quiet small" href="${ui.to('/contacts')}">Show all contacts</a>
                  `
                  : html`
                    <p><strong>No contacts yet.</strong></p>
                    <p>Add a contact, import a CSV file, or turn on a Zap to add contacts automatically.</p>
                    <div class="row">
                      <a class="button quiet" href="${ui.to('/contacts/new')}">Add contact</a>
                      <a class="button quiet" href="${ui.to('/contacts/import')}">Import contacts</a>
                    </div>
                  `
              }
            </div>
          `
          : html`
            <div class="table-scroll" tabindex="0" role="group" aria-label="Contacts">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Contact</th>
                    <th scope="col">${labels.contact.email}</th>
                    <th scope="col">${labels.contact.external_id}</th>
                    <th scope="col">Last call</th>
                    <th scope="col">${labels.contact.created_at}</th>
                  </tr>
                </thead>
                <tbody>
                  ${rows.map(
                    (row) => html`
                      <tr>
                        <th scope="row">
                          <a href="${ui.to(`/contacts/${row.id}`)}">${formatContactName(row, row.phone_number)}</a><small>${row.phone_number}</small>
                          ${row.on_do_not_call_list === true && badge({ tone: 'bad', text: labels.contact.do_not_call })}
                        </th>
                        <td>${row.email || html`<span class="soft">–</span>`}</td>
                        <td>${row.external_id || html`<span class="soft">–</span>`}</td>
                        <td class="nowrap">
                          ${lastCall(ui, row)}
                        </td>
                        <td class="nowrap">${time(ui, row.created_at)}</td>
                      </tr>
                    `,
                  )}
                </tbody>
              </table>
            </div>
            ${pager({ previous, next })}
          `
      }
    </div>
  `,
)

function lastCall(ui: Ui, { call_id, status, outcome, queued_at, ended_at }: ListedContact): Html {
  if (call_id === null || status === null || queued_at === null) return html`<span class="soft">None</span>`
  return html`
    <a href="${ui.to(`/calls/${call_id}`)}">${badge(callBadge({ status, outcome }))}</a>
    <small>${time(ui, ended_at ?? queued_at)}</small>
  `
}

const Filter = z.object({
  search: trimmedText(200).optional().catch(undefined),
  list: z.enum(['do_not_call', 'callable']).optional().catch(undefined),
  import: OptionalId,
  before: OptionalId,
  after: z.coerce.number().int().min(0).optional().catch(undefined),
})
type Filter = z.infer<typeof Filter>

const pageSize = 50

const listOptions = [
  { value: '', label: 'All contacts' },
  { value: 'callable', label: 'Not on do-not-call list' },
  { value: 'do_not_call', label: 'On do-not-call list' },
]

export const contactListPage = definePage({
  toleratesLag: true,
  query: Filter,
  show: async (deps, context) => {
    const { workspace, query } = context
    const position = toPosition(query)
    const found = await searchContacts(
      deps.db,
      workspace.id,
      {
        ...parseContactSearch(query.search ?? '', workspace.country),
        onDoNotCallList: query.list === undefined ? null : query.list === 'do_not_call',
        importId: query.import ?? null,
      },
      { position, limit: pageSize + 1 },
    )
    const isBackward = position !== null && 'after' in position
    // When paging back, the extra row is the first.
    const { items, hasMore } = isBackward
      ? { items: found.slice(-pageSize), hasMore: found.length > pageSize }
      : toPage(found, pageSize)
    const address = (to: { before: number } | { after: number }) => pagePath(context, to)
    const [first, last] = [items[0], items.at(-1)]
    const isFirst = isBackward ? !hasMore : position === null
    return contactListView('Contacts', {
      rows: items,
      search: query.search ?? '',
      list: query.list ?? '',
      importId: query.import ?? null,
      importFilter: await findImportFilter(deps, context, {
        path: '/contacts',
        params: filterParams(query),
      }),
      exportPath: pathTo(
        context,
        query.import === undefined ? '/contacts/export' : `/contacts/export?import=${query.import}`,
      ),
      hasAny: items.length > 0 || (await hasContacts(deps.db, workspace.id)),
      previous: first !== undefined && !isFirst ? address({ after: first.id }) : null,
      next: last !== undefined && (isBackward || hasMore) ? address({ before: last.id }) : null,
    })
  },
})

function toPosition({ before, after }: Filter): ContactPosition {
  if (before !== undefined) return { before }
  return after === undefined ? null : { after }
}

/** Returns the filter as query parameters, without the position in the list. */
const filterParams = ({ search, list: listFilter, import: importId }: Filter): Record<string, string> => ({
  ...(search && { search }),
  ...(listFilter && { list: listFilter }),
  ...(importId !== undefined && { import: String(importId) }),
})

function pagePath(context: PageContext<Filter>, to: { before: number } | { after: number }): string {
  const query = new URLSearchParams(filterParams(context.query))
  for (const [name, value] of Object.entries(to)) query.set(name, String(value))
  return pathTo(context, `/contacts?${query.toString()}`)
}

/**
 * Parses search input: words, or a phone number in any format.
 *
 * @param country for numbers without a country code
 */
function parseContactSearch(
  text: string,
  country: string,
): { words: readonly string[]; phoneNumber: string | null } {
  const parsed = parsePhone(text, country)
  if (parsed.ok) return { words: [], phoneNumber: parsed.phoneNumber }
  const isPartOfNumber = /^[+\d\s()./-]+$/.test(text) && /\d{3}/.test(text.replace(/\D/g, ''))
  // National formats often start with a 0 that E.164 omits.
  if (isPartOfNumber) return { words: [text.replace(/\D/g, '').replace(/^0+/, '')], phoneNumber: null }
  return { words: text.split(/\s+/).filter(Boolean).slice(0, 10), phoneNumber: null }
}
