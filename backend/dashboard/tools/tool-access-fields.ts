import type { FormModel } from '../../platform/views/forms.ts'
import { checks, field, groupIssue } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { newSecretNumbers } from './tool-form.ts'

/** Asks for the headers and secrets of a tool. */
export const toolAccessFields = ({
  form,
  headers,
  secretNames,
}: {
  form: FormModel
  headers: string
  secretNames: readonly string[]
}): Html => html`
  <section class="panel" aria-labelledby="access">
    <h2 id="access">Access</h2>
    ${field({
      form,
      name: 'headers',
      label: 'Headers',
      value: headers,
      rows: 3,
      code: true,
      placeholder: 'Authorization: Bearer {{secret.API_KEY}}',
      hint:
        'One per line. Everyone in the workspace can read headers, so save API keys as secrets below ' +
        'and use them as {{secret.NAME}}, here or as a query value in the URL.',
    })}
    ${groupIssue({ form, name: 'secrets', label: 'Secrets' })}
    ${secretNames.map((name) =>
      field({
        form,
        name: `secret.${name}`,
        label: name,
        type: 'password',
        autocomplete: 'new-password',
        hint: 'Saved. Enter a new value to replace it. If you change the host, enter all secrets again.',
      }),
    )}
    ${
      secretNames.length > 0 &&
      checks({
        form,
        name: 'deleted_secret',
        label: 'Delete secrets',
        options: secretNames.map((name) => ({ value: name, label: name })),
        values: [],
        row: true,
      })
    }
    <fieldset class="checks">
      <legend>New secrets</legend>
      ${newSecretNumbers.map(
        (number) => html`
          <div class="field-row">
            ${field({
              form,
              name: `key_name_${number}`,
              label: `Name ${number}`,
              placeholder: 'API_KEY',
              code: true,
              autocomplete: 'off',
            })}
            ${field({
              form,
              name: `key_secret_${number}`,
              label: `Secret ${number}`,
              type: 'password',
              autocomplete: 'new-password',
            })}
          </div>
        `,
      )}
      <p class="hint">
        ${form.isInvalid ? "Secrets aren't filled in again. Enter them again." : "Secrets are stored encrypted. You can't view them after you save."}
      </p>
    </fieldset>
  </section>
`
