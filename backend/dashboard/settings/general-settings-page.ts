import { boundedText, campaignTexts } from '@outdial/contract'
import * as z from 'zod'
import { editWorkspace } from '../../accounts/identity/workspaces.ts'
import { formatCallingHours, formatPlural } from '../../platform/views/format.ts'
import { field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import { loadRetention } from '../../privacy/change-retention.ts'
import { followTimeZone } from '../../queue/rules/limits.ts'
import { callingHoursFields } from '../page/calling-hours-fields.ts'
import { defineForm, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { countries, formText, StringList, toFormTexts } from '../page/forms.ts'
import { lockRights, pathTo } from '../page/page-context.ts'
import { workspaceLocationFields } from '../sign-in/workspace-location-fields.ts'
import { pendingRetention } from './pending-retention.ts'
import { findWorkspaceSettings } from './settings-queries.ts'
import { settingsTabs } from './settings-tabs.ts'

const formTexts = toFormTexts(campaignTexts)

interface GeneralSettingsData {
  settings: Awaited<ReturnType<typeof findWorkspaceSettings>>
  retention: Awaited<ReturnType<typeof loadRetention>>
}

const generalSettingsView = defineView(
  ({ ui, isOwner, form }, { settings, retention }: GeneralSettingsData) => html`
    <h1>Settings</h1>
    ${settingsTabs({ ui, here: '/settings' })}
    ${
      isOwner
        ? pageForm(
            form,
            { class: 'stack form', novalidate: true },
            html`
              ${formMessage(form)}
              <section class="panel" aria-labelledby="workspace">
                <h2 id="workspace">Workspace</h2>
                ${field({
                  form,
                  name: 'name',
                  label: labels.workspace.name,
                  value: settings.name,
                  required: true,
                  maxlength: 200,
                  hint: 'Members see this name in the dashboard and when they connect an app.',
                })}
                ${workspaceLocationFields({
                  form,
                  country: settings.country,
                  timeZone: settings.time_zone,
                })}
              </section>
              <section class="panel" aria-labelledby="hours">
                <h2 id="hours">${labels.workspace.calling_hours}</h2>
                <p class="hint">Defaults for new campaigns. Existing campaigns keep their hours.</p>
                ${callingHoursFields(form, formTexts, settings.calling_hours)}
              </section>
              <div class="form-actions"><button class="primary">Save</button></div>
            `,
          )
        : html`
          <section class="panel form" aria-labelledby="workspace">
            <h2 id="workspace">Workspace</h2>
            <dl class="facts">
              <dt>${labels.workspace.name}</dt><dd>${settings.name}</dd>
              <dt>${labels.workspace.country}</dt><dd>${countries.find(({ value }) => value === settings.country)?.label ?? settings.country}</dd>
              <dt>${labels.workspace.time_zone}</dt><dd>${settings.time_zone}</dd>
              <dt>${labels.workspace.calling_hours}</dt><dd>${formatCallingHours(settings.calling_hours)}</dd>
            </dl>
            <p class="hint">Only owners can change these settings. See <a href="${ui.to('/settings/members')}">Members</a> for the list of owners.</p>
          </section>
        `
    }
    <section class="panel form" aria-labelledby="retention">
      <h2 id="retention">Conversation retention</h2>
      <p>Outdial keeps conversations ${retention.days === null ? 'forever' : `for ${formatPlural(retention.days, 'day')} after the call`}.</p>
      ${retention.pending ? pendingRetention({ ui, form, pending: retention.pending, isOwner }) : null}
      ${isOwner && html`<p><a class="button quiet small" href="${ui.to('/settings/retention')}">Change retention</a></p>`}
    </section>
  `,
)

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
    return generalSettingsView('Settings', {
      settings,
      retention: await loadRetention(deps, workspace.id),
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
    if (fields.time_zone !== context.workspace.timeZone) await followTimeZone(tx, context.workspace.id)
    return redirectTo(pathTo(context, '/settings'), 'Settings saved.')
  },
})
