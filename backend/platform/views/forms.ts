import { randomUUID } from 'node:crypto'
import { attributes, type Html, html, type Slot } from './html.ts'

/** A form of a page: what each submission sends, what was entered before, and the issues with that input. */
export interface FormModel extends SentForm {
  /** The version of the object that the form edits; null if the form edits nothing. */
  version: string | null
  isInvalid: boolean
  isRestored: boolean
  /** A message that isn't about fields. */
  message: string | null
  issues: Readonly<Record<string, string>>
  submitted: Readonly<Record<string, string | string[]>>
  /** Returns a sealed text that names the user who opened the form. */
  sealAuthor: () => string
  field: (name: string, saved?: SavedValue, hint?: string, label?: string) => FieldModel
  summarize: () => { title: string; items: readonly { text: string; target: string | null }[] }
}

/** The form of a page, which also gives access to the page's other forms. */
export interface PageForm extends FormModel {
  /** Returns the form that is sent to another path. */
  sentTo: (action: string) => FormModel
}

type SavedValue = string | number | null | undefined | readonly (string | number)[]

interface FieldModel {
  id: string
  values: readonly (string | number)[]
  value: string | number
  issue: string | undefined
  /** IDs of the texts about the field. Blank if there are none. */
  describedBy: string
  isFirstIssue: boolean
}

/** Returns the attributes that refer to a field's issue and hint. */
export const describeField = ({ issue, describedBy }: FieldModel) => ({
  'aria-invalid': issue === undefined ? null : 'true',
  'aria-describedby': describedBy === '' ? null : describedBy,
})

/** Shows what is wrong with a field. */
export const issueText = ({ id, issue }: FieldModel): Slot =>
  issue !== undefined && html`<p class="issue" id="${id}-issue">${issue}</p>`

const hintText = ({ id }: FieldModel, hint: string | undefined): Slot =>
  hint !== undefined && hint !== '' && html`<p class="hint" id="${id}-hint">${hint}</p>`

interface InputAttributes {
  placeholder?: string
  autocomplete?: string
  inputmode?: string
  min?: string | number
  max?: string | number
  step?: string | number
  maxlength?: number
  minlength?: number
  list?: string
  accept?: string
}

export interface FieldOptions extends InputAttributes {
  form: FormModel
  name: string
  label: string
  value?: SavedValue
  /** The type of an input. */
  type?: string
  hint?: string
  required?: boolean
  /** True if one of several fields must be filled in. Then this one isn't labeled as optional. */
  isEither?: boolean
  /** The number of lines of a text area. */
  rows?: number
  /** The choices of a select. */
  options?: readonly Choice[]
  /** Shows the field in the font of code. */
  code?: boolean
}

interface Choice {
  value: string | number
  label: string
}

/** Shows a labeled input, text area (with `rows`), or select (with `options`). */
export function field({
  form,
  name,
  label,
  value: saved,
  type = 'text',
  hint,
  required = false,
  isEither = false,
  rows,
  options,
  code = false,
  ...inputAttributes
}: FieldOptions): Html {
  const model = form.field(name, saved, hint, label)
  const { id, value } = model
  const common = { id, name, required, autofocus: model.isFirstIssue, ...describeField(model) }
  const inCode = code ? { class: 'code', spellcheck: 'false' } : {}
  const control = () => {
    if (rows !== undefined) {
      const { maxlength, placeholder } = inputAttributes
      // Browsers ignore a line break at the start of a text area, so one is added in front of the value.
      return html`<textarea${attributes({ ...common, ...inCode, rows, maxlength, placeholder })}>\n${value}</textarea>`
    }
    if (options !== undefined)
      return html`<select${attributes(common)}>
          ${options.map(
            (option) => html`
              <option${attributes({ value: option.value, selected: String(option.value) === String(value) })}>${option.label}</option>`,
          )}
        </select>`
    const shown = { type, value: type === 'file' ? null : type === 'password' ? '' : value }
    return html`<input${attributes({ ...common, ...shown, ...inputAttributes, ...inCode })}>`
  }
  const optional = !required && !isEither && html` <span class="optional">optional</span>`
  return html`<div class="field">
      <label for="${id}">${label}${optional}</label>
      ${issueText(model)}
      ${control()}
      ${hintText(model, hint)}
    </div>`
}

export interface ChecksOptions {
  form: FormModel
  name: string
  label: string
  options: readonly (Choice & { hint?: string | undefined })[]
  values: readonly (string | number)[]
  type?: 'checkbox' | 'radio'
  hint?: string
  /** Shows the choices side by side. */
  row?: boolean
}

/** Shows checkboxes or radio buttons. */
export function checks({
  form,
  name,
  label,
  options,
  values: saved,
  type = 'checkbox',
  hint,
  row = false,
}: ChecksOptions): Html {
  const model = form.field(name, saved, hint, label)
  const { id, values, isFirstIssue } = model
  const choice = ({ value, label: text, hint: about }: (typeof options)[number], index: number) => {
    const first = index === 0 ? { id, autofocus: isFirstIssue } : {}
    const checked = values.includes(String(value))
    const more = about !== undefined && about !== '' && html`<small>${about}</small>`
    return html`
      <label class="check"><input${attributes({ ...first, type, name, value, checked })}><span>${text}${more}</span></label>`
  }
  return html`<fieldset class="checks${row && ' checks-row'}"${attributes(describeField(model))}>
      <legend>${label}</legend>
      ${issueText(model)}
      ${options.map(choice)}
      ${hintText(model, hint)}
    </fieldset>`
}

/** Shows an issue with a part of a form that isn't a field. */
export function groupIssue({ form, name, label }: { form: FormModel; name: string; label: string }): Slot {
  const { id, issue, isFirstIssue } = form.field(name, undefined, undefined, label)
  if (issue === undefined) return null
  return html`<p class="issue" id="${id}" tabindex="-1"${attributes({ autofocus: isFirstIssue })}>${issue}</p>`
}

/** Lists the issues in the page's form, with links to its fields. Call it after rendering the fields. */
export function errorSummary(form: FormModel): Slot {
  const { title, items } = form.summarize()
  if (items.length === 0) return null
  return html`<div class="notice error-summary" data-tone="bad" role="alert">
      <h2>${title}</h2>
      <ul>
        ${items.map(
          ({ text, target }) => html`
            <li>${target === null ? text : html`<a href="#${target}">${text}</a>`}</li>`,
        )}
      </ul>
    </div>`
}

/** Writes hidden fields. */
export const hiddenFields = (fields: Readonly<Record<string, string | number>>): Slot =>
  Object.entries(fields).map(
    ([name, value]) => html`
      <input type="hidden" name="${name}" value="${value}">`,
  )

declare const isNew: unique symbol

/** The token and the ID that every posted form sends. Only `newForm` creates this object. */
export interface SentForm {
  csrf: string
  /** The ID of this form. A second submission of a page's form with the same ID does nothing. */
  once: string
  [isNew]: true
}

/** Creates the token and ID of a form. `csrf` is the token of the browser's session. */
export const newForm = (csrf: string): SentForm => ({ csrf, once: randomUUID() }) as SentForm

type FormAttributes = Parameters<typeof attributes>[0]

/** Writes a form that is posted. `SentForm` requires the CSRF token, and the ID by which a second submission is recognized. */
export const postForm = ({ csrf, once }: SentForm, ofTag: FormAttributes, content: Slot): Html =>
  html`<form method="post"${attributes(ofTag)}>
      <input type="hidden" name="_csrf" value="${csrf}">
      <input type="hidden" name="_once" value="${once}">
      ${content}
    </form>`

/** Writes the form of a page. The form also sends the version of the object that it edits, and the user who opened it. */
export const pageForm = (form: FormModel, ofTag: FormAttributes, content: Slot): Html =>
  postForm(
    form,
    ofTag,
    html`<input type="hidden" name="_by" value="${form.sealAuthor()}">
      ${form.version !== null && form.version !== '' && html`<input type="hidden" name="_seen" value="${form.version}">`}
      ${content}`,
  )

/** Shows the message that explains why the form wasn't saved, if the reason isn't an issue with a field. */
export const formMessage = ({ message, isRestored }: FormModel): Slot =>
  message !== null &&
  html`<p class="notice" data-tone="${isRestored ? 'warn' : 'bad'}" role="${isRestored ? 'status' : 'alert'}">${message}</p>`

type Look = 'primary' | 'quiet' | 'danger' | 'link'

interface ButtonOptions {
  form: FormModel
  action: string
  label: string
  look?: Look
  /** The name for screen readers, if the label isn't enough. */
  title?: string
  fields?: Readonly<Record<string, string | number>>
}

/** Shows a button in a form that has nothing else. */
export const button = ({ form, action, label, look = 'quiet', title, fields = {} }: ButtonOptions): Html =>
  postForm(
    form,
    { action, class: 'inline' },
    html`${hiddenFields(fields)}
      <button class="${look} small"${attributes({ 'aria-label': title })}>${label}</button>`,
  )

interface ConfirmOptions extends Omit<ButtonOptions, 'form' | 'title'> {
  form: PageForm
  id: string
  question: string
  detail?: string | null
  /** The label of the button that confirms. */
  confirm: string
  /** The label of the button that cancels. */
  keep?: string
  /** Asks for a reason. The path in `action` must have a form page, which shows the reason again if it wasn't saved. */
  reason?: { name: string; label: string; hint?: string }
}

/** Shows a button that asks for confirmation. Works without scripts. */
export function confirm({
  form: formOfPage,
  id,
  action,
  label,
  question,
  detail = null,
  confirm: confirmLabel,
  keep = 'Cancel',
  look = 'danger',
  fields = {},
  reason,
}: ConfirmOptions): Html {
  const form = formOfPage.sentTo(action)
  const isOpen = form.isInvalid && reason !== undefined
  const open = html`<button type="button" class="${look} small" popovertarget="${id}">${label}</button>`
  const back = isOpen
    ? html`<a class="button quiet" href="${action}">${keep}</a>`
    : html`<button type="button" class="quiet" popovertarget="${id}" popovertargetaction="hide">${keep}</button>`
  const content = html`
    ${reason !== undefined && formMessage(form)}
    ${hiddenFields(fields)}
    <h2 id="${id}-question">${question}</h2>
    ${detail !== null && detail !== '' && html`<p class="soft">${detail}</p>`}
    ${reason !== undefined && field({ form, ...reason, required: true, maxlength: 500, autocomplete: 'off' })}
    <div class="sheet-actions">
      ${back}
      <button class="${look}">${confirmLabel}</button>
    </div>`
  const write = reason === undefined ? postForm : pageForm
  return html`${!isOpen && open}
    <div class="sheet" id="${id}"${attributes({ popover: !isOpen })} role="dialog" aria-labelledby="${id}-question">
      ${write(form, { action, class: 'stack' }, content)}
    </div>`
}
