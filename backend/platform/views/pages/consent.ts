import { alert, tick } from '../elements.ts'
import { postForm, type SentForm } from '../forms.ts'
import { attributes, type Html, html } from '../html.ts'
import { publicLayout } from '../public-layout.ts'

interface ConsentData {
  title: string
  form: SentForm
  /** The path of this authorization. The page's forms post to paths below this one. */
  path: string
  app: ConnectingApp
  user: { userId: number; name: string; email: string }
  workspaces: readonly { id: number; name: string }[]
  abilities: readonly string[]
  error: string | null
}

/** The app that a user is connecting. */
export interface ConnectingApp {
  name: string
  /** The host that receives the response. Shown to the user. */
  host: string
  cancelPath: string
}

/** Shows the page on which a user connects an app to a workspace. */
export const consentPage = ({
  title,
  form,
  path,
  app,
  user,
  workspaces,
  abilities,
  error,
}: ConsentData): Html =>
  publicLayout(
    { title },
    html`
      <h1>Connect ${app.name}</h1>
      <p class="lead"><strong>${app.name}</strong> wants to connect to one of your Outdial workspaces.</p>
      <div class="person">
        <span class="avatar" aria-hidden="true">${user.name.slice(0, 1)}</span>
        <span class="person-name">${user.name}<small>${user.email}</small></span>
        ${postForm(form, { action: `${path}/sign-out` }, html`<button class="link">Not you? Sign out</button>`)}
      </div>
      ${alert(error)}
      ${postForm(
        form,
        { action: `${path}/allow`, class: 'stack' },
        html`
          <input type="hidden" name="user_id" value="${user.userId}">
          ${
            workspaces.length === 0
              ? html`
                <div class="empty">
                  <p><strong>You are not a member of any workspace.</strong></p>
                  <p>Ask a workspace owner to invite you, then start again from ${app.name}.</p>
                </div>
                <div class="actions">
                  <button class="quiet" formaction="${app.cancelPath}" formnovalidate>Back to ${app.name}</button>
                </div>
              `
              : html`
                <fieldset class="choices"${attributes({ 'aria-describedby': error ? 'error' : null })}>
                  <legend>${workspaces.length === 1 ? 'Workspace' : 'Which workspace?'}</legend>
                  ${workspaces.map(
                    (workspace) => html`
                      <label class="choice">
                        <input type="radio" name="workspace_id" value="${workspace.id}" required${attributes({ checked: workspaces.length === 1 })}>
                        <span>${workspace.name}</span>
                      </label>
                    `,
                  )}
                </fieldset>
                <section aria-labelledby="abilities">
                  <h2 id="abilities">${app.name} will be able to</h2>
                  <ul class="abilities">
                    ${abilities.map(
                      (ability) => html`
                        <li>${tick} ${ability}</li>
                      `,
                    )}
                  </ul>
                </section>
                <div class="actions">
                  <button class="primary">Allow</button>
                  <button class="quiet" formaction="${app.cancelPath}" formnovalidate>Cancel</button>
                </div>
                <p class="note">
                  Both buttons take you back to <strong>${app.host}</strong>. The connection works with the selected workspace
                  only and lasts until it is disconnected.
                </p>
              `
          }
        `,
      )}
    `,
  )
