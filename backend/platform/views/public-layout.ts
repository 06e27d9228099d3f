import { assetUrl } from './assets.ts'
import { mark } from './elements.ts'
import { errorSummary, type FormModel } from './forms.ts'
import { type Html, html } from './html.ts'

/** Writes a page that belongs to no workspace: sign-in, consent, or an error. */
export const publicLayout = (
  { title, form }: { title: string; form?: FormModel },
  body: Html,
): Html => html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>${title} · Outdial</title>
      <link rel="stylesheet" href="${assetUrl('outdial.css')}">
      <link rel="stylesheet" href="${assetUrl('dashboard.css')}">
      <link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml">
    </head>
    <body class="sign-in-layout">
      <header class="brand">${mark} <span>Outdial</span></header>
      <main class="card">
        ${form !== undefined && errorSummary(form)}
        ${body}
      </main>
    </body>
  </html>
`
