import { type CallingHours, campaignTexts, withText } from '@outdial/contract'
import * as z from 'zod'
import { editWorkspace } from '../../identity/workspaces.ts'
import { defineForm, noInput, redirectTo, template } from '../page/define-page.ts'
import { formatCallingHours, weekdays } from '../page/format.ts'
import { countries, StringList, timeZones, toFormTexts } from '../page/forms.ts'
import { pathTo, requireOwner } from '../page/page-context.ts'
import { findWorkspaceSettings } from './settings-queries.ts'

const formTexts = toFormTexts(campaignTexts)

const generalSettingsView = template<{
  settings: {
    name: string
    country: string
    time_zone: string
    calling_hours: CallingHours
    retention_days: number | null
  }
  /** For members, who can view the settings but not change them. */
  shown: { country: string; hours: string; retention: string }
  countries: typeof countries
  timeZones: readonly string[]
  weekdays: typeof weekdays
  text: typeof formTexts
}>('dashboard/settings/general-settings-page')

const SettingsFields = z.object({
  name: z.string(),
  country: z.string(),
  time_zone: z.string(),
  'calling_hours.days': StringList,
  'calling_hours.start': z.string().optional(),
  'calling_hours.end': z.string().optional(),
  retention_days: z
    .string()
    .trim()
    .regex(/^\d{1,9}$/, withText('invalid_format.days'))
    .transform(Number)
    .optional(),
})

export const generalSettingsPage = defineForm({
  query: noInput,
  form: SettingsFields,
  show: async (deps, { workspace }) => {
    const settings = await findWorkspaceSettings(deps.db, workspace.id)
    const { country, calling_hours: callingHours, retention_days: retentionDays } = settings
    return generalSettingsView('Settings', {
      settings,
      shown: {
        country: countries.find(({ value }) => value === country)?.label ?? country,
        hours: formatCallingHours(callingHours),
        retention:
          retentionDays === null
            ? 'Forever'
            : `${retentionDays} ${retentionDays === 1 ? 'day' : 'days'} after the call`,
      },
      countries,
      timeZones,
      weekdays,
      text: formTexts,
    })
  },
  loadEdited: (tx, { workspace }) => findWorkspaceSettings(tx.db, workspace.id),
  submit: async (tx, context, fields) => {
    requireOwner(context)
    await editWorkspace(tx, context.workspace.id, {
      name: fields.name,
      country: fields.country,
      time_zone: fields.time_zone,
      calling_hours: {
        days: fields['calling_hours.days'],
        start: fields['calling_hours.start'],
        end: fields['calling_hours.end'],
      },
      retention_days: fields.retention_days ?? null,
    })
    return redirectTo(pathTo(context, '/settings'), 'Settings saved.')
  },
})
