import type { FormModel } from '../../platform/views/forms.ts'
import { field } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import { countries, timeZones } from '../page/forms.ts'

/** Asks for the country and time zone of a workspace. */
export const workspaceLocationFields = ({
  form,
  country,
  timeZone,
}: {
  form: FormModel
  country: string
  timeZone: string
}): Html => html`
  ${field({
    form,
    name: 'country',
    label: labels.workspace.country,
    required: true,
    options: countries,
    value: country,
    hint: 'Used when a phone number has no country code.',
  })}
  ${field({
    form,
    name: 'time_zone',
    label: labels.workspace.time_zone,
    required: true,
    list: 'time-zones',
    value: timeZone,
    maxlength: 64,
    autocomplete: 'off',
    hint: 'Outdial shows times in this time zone and uses it as the default for new campaigns.',
  })}
  <datalist id="time-zones">${timeZones.map((zone) => html`<option value="${zone}"></option>`)}</datalist>
`
