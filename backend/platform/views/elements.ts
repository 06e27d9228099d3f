import type { Badge, Tone } from './badges.ts'
import type { TimeFormats } from './format.ts'
import { attributes, type Html, html } from './html.ts'

export const badge = ({ tone, text }: Badge): Html =>
  html`<span class="badge" data-tone="${tone}">${text}</span>`

/** Shows the error of a form that has one message for all of its fields. */
export const alert = (error: string | null): Html | null =>
  error === null || error === '' ? null : html`<p class="alert" role="alert" id="error">${error}</p>`

export const tick = html`<svg
    class="tick" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false"
  ><path
    d="M3.5 8.5l3 3 6-7"
    fill="none"
    stroke="currentColor"
    stroke-width="1.8"
    stroke-linecap="round"
    stroke-linejoin="round"
  /></svg>`

/** Outdial's logo. */
export const mark = html`<svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
    <rect class="mark-ground" width="32" height="32" rx="9"/>
    <path class="mark-line" d="M16.4 10.8A7 7 0 1 0 21.2 15.6" fill="none" stroke-width="3" stroke-linecap="round"/>
    <circle class="mark-dot" cx="22.6" cy="9.4" r="2.7"/>
  </svg>`

/** Shows a sample of a color, for the legend of a chart. */
export const swatch = (tone: Tone): Html =>
  html`<svg class="swatch" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      <rect class="fill-${tone}" width="10" height="10" rx="3"/>
    </svg>`

/** Shows a value with a copy button. */
export const copyable = ({ id, value, label }: { id: string; value: string; label: string }): Html =>
  html`<div class="copyable">
      <code id="${id}">${value}</code>
      <button type="button" class="quiet small" data-copy="${id}" aria-label="${label}" hidden>Copy</button>
    </div>`

/** Returns a URL in normalized form if it starts with http: or https:, otherwise null, because other links aren't safe. */
export function toWebLink(url: string | null): string | null {
  const parsed = url === null ? null : URL.parse(url)
  return parsed !== null && ['http:', 'https:'].includes(parsed.protocol) ? parsed.href : null
}

/** Writes a sentence with links to pages of the workspace. */
export const linkedText = (
  ui: { to: (path: string) => string },
  parts: readonly { text: string; path?: string }[],
): Html =>
  html`${parts.map(({ text, path }) => (path === undefined ? text : html`<a href="${ui.to(path)}">${text}</a>`))}`

/** Links to the pages of a section. `here` is the path of the page that's shown. */
export const tabs = (
  ui: { to: (path: string) => string },
  { label, pages, here }: { label: string; pages: readonly { path: string; label: string }[]; here: string },
): Html =>
  html`<nav class="tabs" aria-label="${label}">
      ${pages.map(
        ({ path, label: name }) => html`
          <a href="${ui.to(path)}"${attributes({ 'aria-current': path === here && 'page' })}>${name}</a>`,
      )}
    </nav>`

/** Links to the previous and the next page. */
export const pager = ({ previous, next }: { previous: string | null; next: string | null }): Html | null =>
  previous === null && next === null
    ? null
    : html`<nav class="pager" aria-label="Pages">
        ${previous !== null && html`<a class="button quiet small" href="${previous}" rel="prev">Previous</a>`}
        ${next !== null && html`<a class="button quiet small" href="${next}" rel="next">Next</a>`}
      </nav>`

/**
 * Returns the attributes of the part of a page that htmx refreshes. A page has at most one, because its ID is `live`.
 *
 * @param path the page's path; null if the page won't change any further
 * @param every the time between two refreshes, such as `3s`
 */
export const live = (path: string | null, every: string): Record<string, string | true> => ({
  id: 'live',
  ...(path !== null && {
    'data-live': true,
    'hx-get': path,
    'hx-trigger': `every ${every}`,
    'hx-select': '#live',
    'hx-swap': 'outerMorph',
  }),
})

/** Writes a time in the workspace's time zone: "9:00 AM", "at 9:00 AM" (`phrase`), or "5 minutes ago" (`ago`). */
export function time(
  ui: Pick<TimeFormats, 'iso' | 'fullTime' | 'time' | 'timePhrase' | 'ago'>,
  at: Date | string,
  style: 'time' | 'phrase' | 'ago' = 'time',
): Html {
  const text = { time: ui.time, phrase: ui.timePhrase, ago: ui.ago }[style](at)
  return html`<time datetime="${ui.iso(at)}" title="${ui.fullTime(at)}">${text}</time>`
}
