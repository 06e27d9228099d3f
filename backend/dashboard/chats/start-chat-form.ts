import { contactTexts } from '@outdial/contract'
import { formatContactName } from '../../platform/views/format.ts'
import { field, formMessage, type FormModel, pageForm } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { SuggestedContact } from './chat-queries.ts'
import { sampleContact, sampleVariables } from './sample-values.ts'

export interface StartChatData {
  /** The path that the form is sent to. */
  action: string
  /** The agent's variables. */
  variables: string[]
  contacts: readonly SuggestedContact[]
}

/** Prefix of the names of form fields for the agent's variables. */
export const variablePrefix = 'variable.'

export const maxSampleLength = 500

/** Shows the form that starts a chat: with a contact, or with sample values. The sample values are already filled in. */
export const startChatForm = (form: FormModel, { action, variables, contacts }: StartChatData): Html =>
  pageForm(
    form,
    { action, class: 'stack form', novalidate: true },
    html`
      ${formMessage(form)}
      ${field({
        form,
        name: 'contact',
        label: 'Contact',
        list: 'chat-contacts',
        maxlength: maxSampleLength,
        autocomplete: 'off',
        placeholder: 'Phone number, email, or ID',
        hint: 'One of your contacts, whose values the agent then knows. Leave blank for the sample values below.',
      })}
      <datalist id="chat-contacts">
        ${contacts.map(
          (contact) => html`
            <option value="${contact.phone_number}">${formatContactName(contact, contact.phone_number)}</option>`,
        )}
      </datalist>
      <fieldset class="chat-samples">
        <legend>Sample values</legend>
        <div class="field-row">
          ${field({
            form,
            name: 'first_name',
            label: contactTexts.first_name.label,
            value: sampleContact.first_name,
            maxlength: maxSampleLength,
            isEither: true,
          })}
          ${field({
            form,
            name: 'last_name',
            label: contactTexts.last_name.label,
            value: sampleContact.last_name,
            maxlength: maxSampleLength,
            isEither: true,
          })}
          ${sampleVariables({ variables }).map(({ name, value }) =>
            field({
              form,
              name: `${variablePrefix}${name}`,
              label: name,
              value,
              maxlength: maxSampleLength,
              isEither: true,
            }),
          )}
        </div>
      </fieldset>
      <div class="form-actions"><button class="primary">Start chat</button></div>
    `,
  )
