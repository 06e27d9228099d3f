import { FormError, invalidField } from '../../platform/core/form-errors.ts'
import { field, formMessage, hiddenFields, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { defineView } from './define-page.ts'

interface ConfirmData {
  heading: string
  /** The effects of the action, with exact counts. */
  effects: string[]
  notes: string[]
  /** The label of the field to type a name in; null if nothing needs to be typed. */
  confirmation: string | null
  submitLabel: string
  back: { path: string; label: string }
  /** Hidden fields. */
  fields: Record<string, string | number>
}

/** Asks for confirmation of something that can't be undone. The form's field is `confirmation`. */
export const confirmPage = defineView(
  ({ ui, form }, { back, heading, fields, effects, notes, confirmation, submitLabel }: ConfirmData) => html`
    <a class="crumb" href="${ui.to(back.path)}">${icon('back')} ${back.label}</a>
    <h1>${heading}</h1>
    ${pageForm(
      form,
      { class: 'panel stack form', novalidate: true },
      html`
        ${formMessage(form)}
        ${hiddenFields(fields)}
        ${effects.map(
          (effect) => html`
            <p>${effect}</p>
          `,
        )}
        ${notes.map(
          (note) => html`
            <p class="soft small-text">${note}</p>
          `,
        )}
        ${
          confirmation
            ? field({
                form,
                name: 'confirmation',
                label: confirmation,
                required: true,
                maxlength: 500,
                autocomplete: 'off',
              })
            : null
        }
        <div class="form-actions">
          <button class="danger">${submitLabel}</button>
          <a class="button quiet" href="${ui.to(back.path)}">Cancel</a>
        </div>
      `,
    )}
  `,
)

/**
 * Rejects a confirmation if more is affected now than when the page was shown. The page is then shown again with new counts.
 *
 * @throws {ApiError} validation_failed
 */
export function requireSeen(count: number, seen: number, message: string): void {
  if (count > seen) throw new FormError('validation_failed', message)
}

/** Normalizes a text for a comparison in which case and repeated spaces don't matter. */
const toComparable = (text: string): string => text.trim().replace(/\s+/g, ' ').normalize().toLowerCase()

/**
 * Checks the text that a user typed to confirm something.
 *
 * @param expected the texts that confirm it; the error names the first one
 * @throws {ApiError} validation_failed, with an issue for the field `confirmation`
 */
export function requireConfirmation(typed: string, expected: readonly [string, ...string[]]): void {
  if (expected.map(toComparable).includes(toComparable(typed))) return
  throw invalidField('confirmation', 'not_confirmed', `This doesn't match. Type “${expected[0]}”.`)
}
