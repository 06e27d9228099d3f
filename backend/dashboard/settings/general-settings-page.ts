import { boundedText, type CallingHours, campaignTexts } from '@outdial/contract'
import * as z from 'zod'
import { editWorkspace } from '../../identity/workspaces.ts'
import { loadRetention, type ShorterRetention } from '../../privacy/change-retention.ts'
import { formatCallingHours, formatPlural, weekdays } from '../../views/format.ts'
import { defineForm, noInput, redirectTo, template } from '../page/define-page.ts'
import { countries, formText, StringList, timeZones, toFormTexts } from '../page/forms.ts'
import { lockRights, pathTo } from '../page/page-context.ts'
import { findWorkspaceSettings } from './settings-queries.ts'

const formTexts = toFormTexts(campaignTexts)

const generalSettingsView = template<{
  settings: {
    name: string
    country: string
    time_zone: string
    calling_hours: CallingHours
  }
  /** For members, who can view the settings but not change them. */
  shown: { country: string; hours: string }
  retention: { shown: string; pending: ShorterRetention | null }
  countries: typeof countries
  timeZones: readonly string[]
  weekdays: typeof weekdays
  text: typeof formTexts
}>('dashboard/settings/general-settings-page')

const SettingsFields = z.object({
  name: formText,
  country: boundedText(64),
  time_zone: boundedText(64),
  'calling_hours.days': StringList,
  'calling_hours.start': boundedText(64).optional(),
  'calling_hours.end': boundedText(64).optional(),
})

export const generalSettingsPage = defineForm({
  query: noInput,
  form: SettingsFields,
  show: async (deps, { workspace }) => {
    const settings = await findWorkspaceSettings(deps.db, workspace.id)
    const { country, calling_hours: callingHours } = settings
    const { days, pending } = await loadRetention(deps, workspace.id)
    return generalSettingsView('Settings', {
      settings,
      shown: {
        country: countries.find(({ value }) => value === country)?.label ?? country,
        hours: formatCallingHours(callingHours),
      },
      retention: {
        shown: days === null ? 'forever' : `for ${formatPlural(days, 'day')} after the call`,
        pending,
      },
      countries,
      timeZones,
      weekdays,
      text: formTexts,
    })
  },
  loadEdited: (tx, { workspace }) => findWorkspaceSettings(tx.db, workspace.id),
  submit: async (tx, context, fields) => {
    await lockRights(tx, context, 'owner')
    await editWorkspace(tx, context.workspace.id, {
      name: fields.name,
      country: fields.country,
      time_zone: fields.time_zone,
      calling_hours: {
        days: fields['calling_hours.days'],
        start: fields['calling_hours.start'],
        end: fields['calling_hours.end'],
      },
    })
    return redirectTo(pathTo(context, '/settings'), 'Settings saved.')
  },
})
