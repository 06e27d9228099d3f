import { assetUrl } from '../../platform/views/assets.ts'
import { mark } from '../../platform/views/elements.ts'
import { button, errorSummary, postForm } from '../../platform/views/forms.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import type { PageModel } from './page-model.ts'

const htmxConfig = JSON.stringify({
  includeIndicatorCSS: false,
  mode: 'same-origin',
  morphIgnore: ['data-htmx-powered', 'open'],
  noSwap: [204, 304, '4xx', '5xx'],
})

/** Adds the navigation and the messages to the content of a workspace's page. */
export const pageLayout = (page: PageModel, body: Html): Html => {
  const { ui, form, title, workspace, isSimulated, flash } = page
  const isError = form.isInvalid && !form.isRestored
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="htmx-config" content="${htmxConfig}">
        <title>${isError && 'Error: '}${title} · ${workspace.name} · Outdial</title>
        <link rel="stylesheet" href="${assetUrl('outdial.css')}">
        <link rel="stylesheet" href="${assetUrl('dashboard.css')}">
        <link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml">
        <script src="${assetUrl('htmx.js')}" defer></script>
        <script src="${assetUrl('outdial.js')}" defer></script>
      </head>
      <body class="app">
        <a class="skip" href="#main">Skip to content</a>
        <header class="bar">
          <a class="brand" href="${ui.to('/overview')}">${mark} <span>Outdial</span></a>
          <button class="bar-menu quiet small" popovertarget="nav" aria-label="Menu">
            ${icon('menu')}
          </button>
        </header>
        ${sidebar(page)}
        <main id="main" tabindex="-1">
          ${
            isSimulated &&
            html`<p class="simulated">Calls are simulated, so no phone rings. <a href="${ui.to('/integrations/real-calls')}">What real calls need</a></p>`
          }
          ${flash !== null && message(page, flash)}
          ${errorSummary(form)}
          ${body}
          <p id="stale" class="stale" role="status"></p>
        </main>
      </body>
    </html>
  `
}

const sidebar = ({ ui, form, user, workspace, workspaces, navigation }: PageModel): Html => html`
  <aside class="side" id="nav" popover="auto" aria-label="Sidebar">
    <a class="brand" href="${ui.to('/overview')}">${mark} <span>Outdial</span></a>
    <button class="switch" popovertarget="workspaces">
      <span class="switch-name"><small>Workspace</small>${workspace.name}</span>
      ${icon('switch')}
    </button>
    <div class="menu" id="workspaces" popover>
      <ul>
        ${workspaces.map(
          ({ id, name }) => html`
            <li>
              <a href="/w/${id}/overview"${attributes({ 'aria-current': id === workspace.id && 'true' })}>${name}</a>
            </li>`,
        )}
        <li class="menu-rest"><a href="/workspaces/new">New workspace</a></li>
      </ul>
    </div>
    <nav aria-label="Workspace">
      <ul>
        ${navigation.map(
          ({ address, label, icon: name, isHere }) => html`
            <li>
              <a href="${address}"${attributes({ 'aria-current': isHere && 'page' })}>${icon(name)}
              ${label}</a>
            </li>`,
        )}
      </ul>
    </nav>
    <div class="me">
      <a class="me-name" href="${ui.to('/account')}">
        <span class="avatar" aria-hidden="true">${user.name.slice(0, 1)}</span>
        <span>${user.name}<small>${user.email}</small></span>
      </a>
      ${postForm(form, { action: '/sign-out' }, html`<button class="link">Sign out</button>`)}
    </div>
  </aside>`

/** Says what the last form did. */
function message({ form }: PageModel, { kind, text, undo }: NonNullable<PageModel['flash']>): Html {
  const isSuccess = kind === 'success'
  return html`
    <div class="flash">
      <p class="notice" data-tone="${isSuccess ? 'good' : 'bad'}" role="${isSuccess ? 'status' : 'alert'}">
        ${text}
      </p>
      ${undo !== undefined && button({ form, action: undo, label: 'Undo' })}
    </div>`
}
