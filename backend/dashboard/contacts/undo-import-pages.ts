import type { Deps } from '../../deps.ts'
import type { LeftReason, UndoCounts } from '../../platform/db/tables/call-tables.ts'
import { formatPlural } from '../../platform/views/format.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { getImport } from '../../queue/contacts/import/imports.ts'
import { describeNoUndo, getUndoState, startUndo } from '../../queue/contacts/import/undo-import.ts'
import { confirmPage } from '../page/confirm-page.ts'
import { defineForm, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { describeActor, toText } from '../stories/describe-actor.ts'
import { countImportEffects, type ImportEffects } from './undo-import-queries.ts'

/** The section about undoing an import on its page. Null if nothing was imported. */
export type UndoSection =
  | { kind: 'possible'; until: Date }
  | { kind: 'impossible'; reason: string }
  | { kind: 'running'; results: UndoResult[] }
  | { kind: 'undone'; by: string; at: Date; results: UndoResult[]; left: UndoResult[] }
  | null

interface UndoResult {
  label: string
  count: number
}

const impossibleView = defineView(
  ({ ui }, { id, name, reason }: { name: string; id: number; reason: string }) => html`
    <a class="crumb" href="${ui.to(`/contacts/import/${id}`)}">${icon('back')} ${name}</a>
    <h1>This import can't be undone</h1>
    <div class="panel stack">
      <p>${reason}</p>
      <div><a class="button quiet" href="${ui.to(`/contacts/import/${id}`)}">Back to import</a></div>
    </div>
  `,
)

/** Reads what the page of an import says about undoing it. */
export async function readUndoSection(
  deps: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  importId: number,
): Promise<UndoSection> {
  const state = await getUndoState(deps, workspaceId, importId)
  switch (state.kind) {
    case 'not imported':
      return null
    case 'possible':
      return { kind: 'possible', until: state.until }
    case 'too late':
      return { kind: 'impossible', reason: describeNoUndo(state.kind) }
    case 'running':
      return { kind: 'running', results: toResults(state.counts, 0) }
    case 'undone': {
      const { placed } = await countImportEffects(deps.db, workspaceId, importId)
      const by = state.by === null ? '' : toText(await describeActor(deps.db, workspaceId, state.by))
      return {
        kind: 'undone',
        by,
        at: state.at,
        results: toResults(state.counts, placed),
        left: toLeft(state.counts),
      }
    }
  }
}

const toResults = ({ calls, removed, restored, left }: UndoCounts, placed: number): UndoResult[] => [
  { label: 'Calls canceled', count: calls },
  { label: 'Contacts removed', count: removed },
  { label: 'Contacts restored', count: restored },
  { label: 'Contacts left as they were', count: sum(Object.values(left)) },
  ...(placed > 0 ? [{ label: 'Calls already placed', count: placed }] : []),
]

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

/** The reasons why undoing an import left contacts unchanged, in the order of the table. */
const leftLabels: Record<LeftReason, string> = {
  called: 'New contact, but already called',
  other_call: 'New contact, but something else queued a call',
  note: 'New contact, but has a note',
  changed: 'New contact, but changed since the import',
  do_not_call: 'New contact, but put on the do-not-call list since the import',
  other_import: 'New contact, but also imported from another file',
  newer_values: 'Existing contact whose imported values were all changed since',
  erased: 'Erased since the import',
}

const toLeft = ({ left }: UndoCounts): UndoResult[] =>
  (Object.keys(leftLabels) as LeftReason[]).flatMap((reason) => {
    const count = left[reason] ?? 0
    return count === 0 ? [] : [{ label: leftLabels[reason], count }]
  })

export const undoImportPage = defineForm({
  params: IdParams,
  query: noInput,
  form: noInput,
  show: async (deps, { workspace, params: { id } }) => {
    const found = await getImport(deps, workspace.id, id)
    const state = await getUndoState(deps, workspace.id, id)
    const title = `Undo import of ${found.file_name}`
    if (state.kind !== 'possible')
      return impossibleView(title, { id, name: found.file_name, reason: describeNoUndo(state.kind) })
    const effects = await countImportEffects(deps.db, workspace.id, id)
    return confirmPage(title, {
      heading: `Undo the import of ${found.file_name}?`,
      effects: describeEffects(effects),
      notes: [
        'New contacts stay if they were called, changed, or used in another way since. Changed contacts keep values that were ' +
          'changed again since.',
        'Waiting calls that something else asked for since, for example another import, stay, too.',
        "Each canceled call sends its event to your Zaps and webhooks. Events that are sent after a contact was removed don't " +
          "include the contact's data.",
        'Numbers that the import added to the do-not-call list stay on it.',
        "You can't reverse undoing an import.",
      ],
      confirmation: null,
      submitLabel: 'Undo import',
      back: { path: `/contacts/import/${id}`, label: found.file_name },
      fields: {},
    })
  },
  // Doesn't check that the counts are still as shown: they change while calls are being placed, and undoing is urgent.
  submit: async (tx, context) => {
    const { id } = context.params
    const isStarted = await startUndo(tx, context.caller, id)
    return redirectTo(
      pathTo(context, `/contacts/import/${id}`),
      isStarted ? null : 'This import is already being undone, or was undone.',
    )
  },
})

const describeEffects = ({ waiting, placed, created, changed }: ImportEffects): string[] =>
  [
    waiting > 0
      ? `${formatPlural(waiting, 'waiting call')} will be canceled.`
      : 'No calls of this import are waiting.',
    placed > 0
      ? `${formatPlural(placed, 'call')} ${placed === 1 ? 'was' : 'were'} already placed and can't be undone.`
      : '',
    created > 0
      ? `The import created ${formatPlural(created, 'contact')}. Those that nothing else has touched will be removed.`
      : 'The import created no contacts.',
    changed > 0
      ? `The import changed ${formatPlural(changed, 'contact')}. ${changed === 1 ? 'Its' : 'Their'} previous values will be restored.`
      : '',
  ].filter(Boolean)
