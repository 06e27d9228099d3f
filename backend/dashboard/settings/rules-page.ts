import { boundedText, workspaceTexts } from '@outdial/contract'
import * as z from 'zod'
import { rescheduleWorkspace } from '../../calls/reschedule-calls.ts'
import { nameCountry } from '../../core/countries.ts'
import type { Deps } from '../../deps.ts'
import { findCallsSpecialNumbers, setCallsSpecialNumbers } from '../../identity/workspaces.ts'
import { doRulesApply, getCallRules, setCallRules } from '../../rules/call-rules.ts'
import { lawCheckedOn, lawRows, statesToCheck } from '../../rules/hours-by-law.ts'
import { describeActor, toText } from '../../support/describe-actor.ts'
import { formatCallingHours } from '../../views/format.ts'
import { defineForm, noInput, redirectTo, template } from '../page/define-page.ts'
import { toFormTexts } from '../page/forms.ts'
import { lockRights, pathTo } from '../page/page-context.ts'

const rulesView = template<{
  /** False while calls are simulated. */
  areInEffect: boolean
  /** Names, separated by commas. Empty if all countries are called. */
  countries: string
  hoursByLaw: boolean
  closedDates: string
  lawRows: { state: string; hours: string; source: string }[]
  statesToCheck: string
  lawCheckedOn: string
  callsSpecialNumbers: boolean
  /** Who changed the rules last; null if nobody has. */
  changed: { at: Date; by: string } | null
  text: typeof formTexts
}>('dashboard/settings/rules-page')

const formTexts = toFormTexts(workspaceTexts)

/** Says in words how well a row is known. */
const sourceKinds = {
  law: 'the law itself',
  firm: 'according to law firms',
  marketing: 'according to sellers of calling software',
} as const

/** Leaves room for the names of all countries. */
const maxCountriesLength = 5_000

const maxDatesLength = 2_000

export const rulesPage = defineForm({
  query: noInput,
  form: z.object({
    countries: boundedText(maxCountriesLength).default(''),
    hours_by_law: boundedText(64).optional(),
    closed_dates: boundedText(maxDatesLength).default(''),
    calls_special_numbers: boundedText(64).optional(),
  }),
  show: async (deps, { workspace }) => {
    const { countries, hoursByLaw, closedDates, changed, callsSpecialNumbers } = await loadRules(
      deps,
      workspace.id,
    )
    return rulesView('Who may be called', {
      areInEffect: doRulesApply(deps.config),
      countries: countries?.map(nameCountry).join(', ') ?? '',
      hoursByLaw,
      closedDates: closedDates.join(', '),
      lawRows: lawRows.map(({ state, hours, source, kind }) => ({
        state: state ?? 'All states',
        hours: formatCallingHours(hours),
        source: `${source} (${sourceKinds[kind]})`,
      })),
      statesToCheck: statesToCheck.join(', '),
      lawCheckedOn,
      callsSpecialNumbers,
      changed: changed && {
        at: changed.at,
        by: toText(await describeActor(deps.db, workspace.id, changed.by)),
      },
      text: formTexts,
    })
  },
  loadEdited: (tx, { workspace }) => loadRules(tx, workspace.id),
  submit: async (tx, context, fields) => {
    await lockRights(tx, context, 'owner')
    const { workspace, caller } = context
    const { countries, closed_dates } = fields
    const rules = { countries, closed_dates, hours_by_law: fields.hours_by_law !== undefined }
    await setCallRules(tx, workspace.id, rules, { kind: 'member', id: caller.userId })
    await setCallsSpecialNumbers(tx.db, workspace.id, fields.calls_special_numbers !== undefined)
    await rescheduleWorkspace(tx, workspace.id)
    return redirectTo(pathTo(context, '/settings/rules'), 'Rules saved.')
  },
})

const loadRules = async ({ db }: Pick<Deps, 'db'>, workspaceId: number) => ({
  ...(await getCallRules({ db }, workspaceId)),
  callsSpecialNumbers: await findCallsSpecialNumbers(db, workspaceId),
})
