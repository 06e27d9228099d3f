import type { CallingHours } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { editWorkspace } from '../../identity/workspaces.ts'
import { findSettings } from '../../identity/workspace-store.ts'
import { hoursInWords, weekdays } from '../campaigns/in-words.ts'
import { countries } from '../countries.ts'
import { form, none } from '../page/page-route.ts'
import { timeZones } from '../time-zones.ts'
import { done, template } from '../view.ts'
import { pathTo, requireOwner } from '../visit.ts'
import { Many } from '../fields.ts'

const page = template<{
  settings: {
    name: string
    country: string
    timeZone: string
    callingHours: CallingHours
    retentionDays: number | null
  }
  /** For members, who may look. */
  inWords: { country: string; hours: string; retention: string }
  countries: typeof countries
  timeZones: readonly string[]
  weekdays: typeof weekdays
}>('dashboard/settings/general-settings-page')

const Settings = z.object({
  name: z.string(),
  country: z.string(),
  time_zone: z.string(),
  'calling_hours.days': Many,
  'calling_hours.start': z.string().optional(),
  'calling_hours.end': z.string().optional(),
  retention_days: z
    .string()
    .trim()
    .regex(/^\d{1,9}$/, 'must be a whole number of days')
    .transform(Number)
    .optional(),
})

export const generalPage = (deps: Deps) =>
  form({
    path: '/settings',
    query: none,
    form: Settings,
    show: async ({ workspace }) => {
      const settings = await findSettings(deps.db, workspace.id)
      const { country, callingHours, retentionDays } = settings
      return page('Settings', {
        settings,
        inWords: {
          country: countries.find(({ value }) => value === country)?.label ?? country,
          hours: hoursInWords(callingHours),
          retention: retentionDays === null ? 'For ever' : `For ${retentionDays} days after the call`,
        },
        countries,
        timeZones,
        weekdays,
      })
    },
    edited: (own, { workspace }) => findSettings(own.db, workspace.id),
    submit: async (own, visit, fields) => {
      requireOwner(visit)
      await editWorkspace(own)(visit.workspace.id, {
        name: fields.name,
        country: fields.country,
        timeZone: fields.time_zone,
        callingHours: {
          days: fields['calling_hours.days'],
          start: fields['calling_hours.start'],
          end: fields['calling_hours.end'],
        },
        retentionDays: fields.retention_days ?? null,
      })
      return done(pathTo(visit, '/settings'), 'Saved.')
    },
  })
