import { alert } from '../elements.ts'
import { postForm, type SentForm } from '../forms.ts'
import { attributes, type Html, html } from '../html.ts'
import { publicLayout } from '../public-layout.ts'
import type { ConnectingApp } from './consent.ts'

interface SignInData {
  title: string
  form: SentForm
  /** The path that the form posts to. */
  action: string
  /** The app that the user is connecting; null when signing in to the dashboard. */
  app: ConnectingApp | null
  /** True if there are no users yet. Then the first user can sign up. */
  canSignUp: boolean
  /** True if a form was submitted after the session ended, and so wasn't processed. */
  isFormLost: boolean
  /** The lost form, sealed, if the user gets it back after signing in; null if not. */
  sealedForm: string | null
  email: string
  error: string | null
}

/** Shows the sign-in page of the dashboard, or of an app that is being connected. */
export const signInPage = ({
  title,
  form,
  action,
  app,
  canSignUp,
  isFormLost,
  sealedForm,
  email,
  error,
}: SignInData): Html =>
  publicLayout(
    { title },
    html`
      <h1>Sign in</h1>
      ${
        app
          ? html`<p class="lead">Connect <strong>${app.name}</strong> to one of your workspaces.</p>`
          : canSignUp
            ? html`
              <p class="lead">There are no accounts yet. <a href="/sign-up">Set up Outdial</a> to create the first one.</p>
            `
            : html`<p class="lead">Welcome back.</p>`
      }
      ${
        sealedForm
          ? html`
            <p class="alert" role="alert">
              Your session expired and the form wasn't submitted. Sign in within an hour to get back to it. What you entered is still there.
            </p>
          `
          : isFormLost
            ? html`
              <p class="alert" role="alert">Your session expired and the form wasn't submitted. Sign in, then submit it again.</p>
            `
            : null
      }
      ${alert(error)}
      ${postForm(
        form,
        { action, class: 'stack' },
        html`
          ${sealedForm ? html`<input type="hidden" name="_restore" value="${sealedForm}">` : null}
          <div class="field">
            <label for="email">Email</label>
            <input
              id="email"
              name="email"
              type="email"
              autocomplete="username"
              required
              maxlength="254"
              value="${email}"${attributes({ autofocus: !email, 'aria-describedby': error ? 'error' : null })}
            >
          </div>
          <div class="field">
            <label for="password">Password</label>
            <input
              id="password"
              name="password"
              type="password"
              autocomplete="current-password"
              required
              maxlength="1024"${attributes({ autofocus: Boolean(email), 'aria-describedby': error ? 'error' : null, 'aria-invalid': error ? 'true' : null })}
            >
          </div>
          <div class="actions">
            <button class="primary">Sign in</button>
            ${app ? html`<button class="quiet" formaction="${app.cancelPath}" formnovalidate>Cancel</button>` : null}
          </div>
        `,
      )}
      ${app ? html`<p class="note">Cancel takes you back to ${app.host}.</p>` : null}
    `,
  )
