import { boundedText, ConsentRequired } from '@outdial/contract'
import * as z from 'zod'
import { findCallsSpecialNumbers, setCallsSpecialNumbers } from '../../accounts/identity/workspaces.ts'
import type { Deps } from '../../deps.ts'
import { dayMs } from '../../platform/core/durations.ts'
import { rescheduleWorkspace } from '../../queue/calls/reschedule-calls.ts'
import { recheckImports } from '../../queue/contacts/import/imports.ts'
import { doRulesApply, getCallRules, parseCallRules, setCallRules } from '../../queue/rules/call-rules.ts'
import { maxWaitMs } from '../../queue/rules/plan-call.ts'
import { toLocalDate } from '../../queue/scheduling/local-time.ts'
import { endsWaitingCalls, requireNoEnds } from '../calls/ends-waiting-calls.ts'
import { defineForm, noInput, redirectTo } from '../page/define-page.ts'
import { lockRights, pathTo } from '../page/page-context.ts'
import { describeActor, toText } from '../stories/describe-actor.ts'
import { rulesView } from './rules-view.ts'

/** Maximum length of the list of countries: enough for the names of all countries. */
const maxCountriesLength = 5_000

const maxDatesLength = 2_000

export const rulesPage = defineForm({
  query: noInput,
  form: z.object({
    countries: boundedText(maxCountriesLength).default(''),
    hours_by_law: boundedText(64).optional(),
    closed_dates: boundedText(maxDatesLength).default(''),
    consent_required: ConsentRequired.default('none'),
    consent_max_age_days: boundedText(64).default(''),
    max_attempts_per_day: boundedText(64).default(''),
    max_attempts_per_30_days: boundedText(64).default(''),
    max_attempts_per_own_number: boundedText(64).default(''),
    max_minutes_per_month: boundedText(64).default(''),
    calls_special_numbers: boundedText(64).optional(),
    ...endsWaitingCalls,
  }),
  show: async (deps, { workspace }) => {
    const rules = await loadRules(deps, workspace.id)
    const { closedDates, changed } = rules
    return rulesView('Who may be called', {
      areInEffect: doRulesApply(deps.config),
      rules,
      changedBy: changed && toText(await describeActor(deps.db, workspace.id, changed.by)),
      longClosure: describeLongClosure(closedDates, toLocalDate(deps.clock.now(), workspace.timeZone)) ?? '',
    })
  },
  loadEdited: (tx, { workspace }) => loadRules(tx, workspace.id),
  submit: async (tx, context, fields) => {
    await lockRights(tx, context, 'owner')
    const { workspace, caller } = context
    const {
      calls_special_numbers: callsSpecialNumbers,
      ends_waiting_calls: mayEndCalls,
      hours_by_law: hoursByLaw,
      ...others
    } = fields
    const rules = parseCallRules({ ...others, hours_by_law: hoursByLaw !== undefined })
    const callsThem = callsSpecialNumbers !== undefined
    if (mayEndCalls === undefined)
      await requireNoEnds(tx, workspace.id, { rules, callsSpecialNumbers: callsThem })
    await recheckImports(tx, workspace.id)
    // Must come before `setCallRules`, which locks a row of `limit_use`: every transaction locks campaigns before such rows.
    await rescheduleWorkspace(tx, workspace.id)
    await setCallRules(tx, workspace.id, rules, { kind: 'member', id: caller.userId })
    await setCallsSpecialNumbers(tx.db, workspace.id, callsThem)
    tx.notify.callQueued()
    return redirectTo(pathTo(context, '/settings/rules'), 'Rules saved.')
  },
})

/** Number of days after which waiting calls expire. */
const longestWaitDays = maxWaitMs / dayMs

/** Warns about the first run of closed days that's so long that waiting calls expire. Undefined if there's none. */
function describeLongClosure(closedDates: readonly string[], today: string): string | undefined {
  let run: string[] = []
  for (const day of [...closedDates].sort()) {
    const last = run.at(-1)
    const isNext = last !== undefined && Date.parse(day) - Date.parse(last) === dayMs
    if (!isNext && run.length >= longestWaitDays) break
    run = isNext ? [...run, day] : day < today ? [] : [day]
  }
  if (run.length < longestWaitDays) return undefined
  return `From ${run[0]} to ${run.at(-1)}, all days are closed. A call waits up to ${longestWaitDays} days, so those that become due at the beginning of this time end without being placed.`
}

const loadRules = async ({ db }: Pick<Deps, 'db'>, workspaceId: number) => ({
  ...(await getCallRules({ db }, workspaceId)),
  callsSpecialNumbers: await findCallsSpecialNumbers(db, workspaceId),
})
