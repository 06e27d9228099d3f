import { copyable } from '../../platform/views/elements.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { defineView } from './define-page.ts'

interface SecretData {
  heading: string
  lead: string
  /** Heading above the secret. */
  label: string
  secret: string
  notes: string[]
  back: { path: string; label: string }
}

/** Shows a secret once. The page is the response to the form itself, not a redirect, and isn't stored. */
export const secretPage = defineView(
  ({ ui }, { back, heading, label, lead, secret, notes }: SecretData) => html`
    <a class="crumb" href="${ui.to(back.path)}">${icon('back')} ${back.label}</a>
    <h1>${heading}</h1>
    <section class="panel form" aria-label="${label}">
      <p class="notice" data-tone="warn" role="status">${lead}</p>
      <h2>${label}</h2>
      ${copyable({
        id: 'secret',
        value: secret,
        label: `Copy ${label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`,
      })}
      ${notes.map(
        (note) => html`
          <p class="soft">${note}</p>
        `,
      )}
      <div class="form-actions"><a class="button primary" href="${ui.to(back.path)}">Done</a></div>
    </section>
  `,
)
