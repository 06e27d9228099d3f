import type { CallingHours } from '@outdial/contract'
import { weekdays } from '../../platform/views/format.ts'
import { checks, field, type FormModel } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { FormText } from './forms.ts'

type Texts = Readonly<Record<'calling_hours.days' | 'calling_hours.start' | 'calling_hours.end', FormText>>

/** Asks for the days and hours of calls. */
export const callingHoursFields = (
  form: FormModel,
  texts: Texts,
  { days, start, end }: CallingHours,
): Html => {
  const time = { form, required: true, inputmode: 'numeric', maxlength: 5 }
  return html`
    ${checks({
      form,
      ...texts['calling_hours.days'],
      name: 'calling_hours.days',
      options: weekdays,
      values: days,
      row: true,
    })}
    <div class="field-row">
      ${field({
        ...time,
        ...texts['calling_hours.start'],
        name: 'calling_hours.start',
        value: start,
        placeholder: '09:00',
      })}
      ${field({
        ...time,
        ...texts['calling_hours.end'],
        name: 'calling_hours.end',
        value: end,
        placeholder: '17:00',
      })}
    </div>
  `
}
