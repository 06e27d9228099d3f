import { boundedText, workspaceTexts } from '@outdial/contract'
import * as z from 'zod'
import { nameCountry } from '../../core/countries.ts'
import type { Deps } from '../../deps.ts'
import { findCallsSpecialNumbers, setCallsSpecialNumbers } from '../../identity/workspaces.ts'
import { doRulesApply, getCallRules, setCallRules } from '../../rules/call-rules.ts'
import { describeActor, toText } from '../../support/describe-actor.ts'
import { defineForm, noInput, redirectTo, template } from '../page/define-page.ts'
import { toFormTexts } from '../page/forms.ts'
import { lockRights, pathTo } from '../page/page-context.ts'

const rulesView = template<{
  /** False while calls are simulated. */
  areInEffect: boolean
  /** Names, separated by commas. Empty if all countries are called. */
  countries: string
  callsSpecialNumbers: boolean
  /** Who changed the rules last; null if nobody has. */
  changed: { at: Date; by: string } | null
  text: typeof formTexts
}>('dashboard/settings/rules-page')

const formTexts = toFormTexts(workspaceTexts)

/** Names of every country fit. */
const maxCountriesLength = 5_000

export const rulesPage = defineForm({
  query: noInput,
  form: z.object({
    countries: boundedText(maxCountriesLength).default(''),
    calls_special_numbers: boundedText(64).optional(),
  }),
  show: async (deps, { workspace }) => {
    const { countries, changed, callsSpecialNumbers } = await loadRules(deps, workspace.id)
    return rulesView('Who may be called', {
      areInEffect: doRulesApply(deps.config),
      countries: countries?.map(nameCountry).join(', ') ?? '',
      callsSpecialNumbers,
      changed: changed && {
        at: changed.at,
        by: toText(await describeActor(deps.db, workspace.id, changed.by)),
      },
      text: formTexts,
    })
  },
  loadEdited: (tx, { workspace }) => loadRules(tx, workspace.id),
  submit: async (tx, context, { countries, calls_special_numbers: callsSpecialNumbers }) => {
    await lockRights(tx, context, 'owner')
    const { workspace, caller } = context
    await setCallRules(tx, workspace.id, { countries }, { kind: 'member', id: caller.userId })
    await setCallsSpecialNumbers(tx.db, workspace.id, callsSpecialNumbers !== undefined)
    return redirectTo(pathTo(context, '/settings/rules'), 'Rules saved.')
  },
})

const loadRules = async ({ db }: Pick<Deps, 'db'>, workspaceId: number) => ({
  ...(await getCallRules({ db }, workspaceId)),
  callsSpecialNumbers: await findCallsSpecialNumbers(db, workspaceId),
})
