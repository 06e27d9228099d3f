import {
  describeField,
  field,
  formMessage,
  issueText,
  type PageForm,
  pageForm,
} from '../../platform/views/forms.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { labels } from '../../platform/views/labels.ts'
import type { consentKinds } from '../page/forms.ts'

/** The data of the form in which a person says what the columns of a file contain. */
export interface ColumnsForm {
  action: string
  columns: {
    header: string
    samples: string[]
    use: { name: string; value: string; options: { value: string; label: string }[] }
    rank: { name: string; value: number }
  }[]
  hasHeader: boolean
  isRecalled: boolean
  unansweredCount: number
  consent: {
    sourceName: string
    source: string
    dateName: string
    date: string
    kindName: string
    kind: string
    kinds: typeof consentKinds
  }
}

/** Asks what the columns of a file contain. */
export const contactImportColumns = (form: PageForm, columnsForm: ColumnsForm): Html => {
  const { action, columns, consent, isRecalled, unansweredCount, hasHeader } = columnsForm
  const ownForm = form.sentTo(action)
  return pageForm(
    ownForm,
    { action, class: 'panel flush column-mapping', 'aria-labelledby': 'map', novalidate: true },
    html`
      <h2 id="map">What does each column contain?</h2>
      <div class="stack">
        ${formMessage(ownForm)}
        ${
          !hasHeader &&
          html`
            <p class="notice" data-tone="warn">
              The first row looks like a contact, so it's imported as one, and the columns have no names.
            </p>
          `
        }
        ${
          isRecalled &&
          html`
            <p class="notice">You uploaded a file with these columns before, so your choices from then are selected.</p>
          `
        }
        ${
          unansweredCount > 0 &&
          html`
            <p class="notice" data-tone="warn">
              ${unansweredCount === 1 ? 'One column looks' : `${unansweredCount} columns look`} like consent or an opt-out. Choose what
              ${unansweredCount === 1 ? 'it means' : 'they mean'}, so that people who opted out aren't called.
            </p>
          `
        }
        <p class="soft small-text">
          If several columns contain phone numbers, the first number that can be read is called. If a row means don't call, all its
          numbers are added to the do-not-call list.
        </p>
      </div>
      <div class="table-scroll" tabindex="0" role="group" aria-label="Columns">
        <table>
          <thead>
            <tr><th scope="col">Column</th><th scope="col">First values</th><th scope="col" id="contains">Contains</th></tr>
          </thead>
          <tbody>
            ${columns.map(({ header, samples, use, rank }, index) => {
              const label = header || `Column ${index + 1}`
              const model = ownForm.field(use.name, use.value, undefined, label)
              const { id, value } = model
              const order = ownForm.field(rank.name, rank.value, undefined, `Preference of ${label}`)
              return html`
                <tr>
                  <th scope="row" id="column-${index}">${header ? header : html`<span class="soft">(no name)</span>`}</th>
                  <td class="small-text">
                    ${samples.map((sample) => html`<div class="sample">${sample}</div>`)}
                    ${samples.length === 0 && html`<span class="soft">blank</span>`}
                  </td>
                  <td>
                    ${issueText(model)}
                    <select
                      id="${id}"
                      name="${use.name}"
                      aria-labelledby="contains column-${index}"${attributes({ autofocus: model.isFirstIssue, ...describeField(model) })}
                    >
                      ${use.options.map(
                        (option) => html`
                          <option value="${option.value}"${attributes({ selected: option.value === String(value) })}>${option.label}</option>
                        `,
                      )}
                    </select>
                    <div class="column-rank row">
                      <label for="${order.id}">Preference</label>
                      <input
                        id="${order.id}"
                        name="${rank.name}"
                        type="number"
                        min="1"
                        max="200"
                        value="${order.value}"
                        aria-describedby="column-${index}"
                      >
                    </div>
                  </td>
                </tr>
              `
            })}
          </tbody>
        </table>
      </div>
      <fieldset class="column-consent stack">
        <legend>${labels.contact.consent}</legend>
        <p class="soft small-text">
          Where, when, and how did the people in this file agree to be called? Columns with a consent source, date, or kind count first.
          Without both a source and a date, no consent is stored.
        </p>
        ${field({
          form: ownForm,
          name: consent.sourceName,
          label: labels.contact['consent.source'],
          value: consent.source,
          maxlength: 500,
          hint: 'For example, Website form.',
        })}
        ${field({
          form: ownForm,
          name: consent.dateName,
          label: labels.contact['consent.at'],
          type: 'date',
          value: consent.date,
        })}
        ${field({
          form: ownForm,
          name: consent.kindName,
          label: labels.contact['consent.kind'],
          value: consent.kind,
          options: consent.kinds,
        })}
      </fieldset>
      <div class="form-actions"><button class="primary">Check file</button></div>
    `,
  )
}
