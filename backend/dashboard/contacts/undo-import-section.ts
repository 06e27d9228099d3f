import { time } from '../../platform/views/elements.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { Ui } from '../page/page-model.ts'
import type { UndoSection } from './undo-import-pages.ts'

/** Says whether an import can be undone, or what undoing it has done. */
export const undoImportSection = ({ ui, id, undo }: { ui: Ui; id: number; undo: UndoSection }): Html => html`
  ${
    undo?.kind === 'possible' &&
    html`
      <section class="panel stack" aria-labelledby="undo">
        <h2 id="undo">Undo import</h2>
        <p>
          You can undo this import until ${time(ui, undo.until)}. Waiting calls are canceled, new
          contacts are removed, and changed contacts get their previous values again. If you discard the file, you can't undo the import
          anymore.
        </p>
        <div><a class="button quiet" href="${ui.to(`/contacts/import/${id}/undo`)}">Undo import</a></div>
      </section>
    `
  }
  ${undo?.kind === 'impossible' && html`<p class="soft small-text">${undo.reason}</p>`}
  ${
    (undo?.kind === 'running' || undo?.kind === 'undone') &&
    html`
      <section class="panel stack" aria-labelledby="undo">
        <h2 id="undo">${undo.kind === 'undone' ? 'Import undone' : 'Undoing import'}</h2>
        ${
          undo.kind === 'undone'
            ? html`
              <p class="soft small-text">
                Undone${
                  undo.by
                    ? html`
                      by ${undo.by}`
                    : null
                }
                ${time(ui, undo.at, 'phrase')}.
              </p>
            `
            : html`<p role="status">You can leave this page. <noscript>Reload the page to see progress.</noscript></p>`
        }
        <dl class="facts">
          ${undo.results.map(({ label, count }) => html`<dt>${label}</dt><dd>${ui.count(count)}</dd>`)}
        </dl>
        ${
          undo.kind === 'undone' &&
          undo.left.length > 0 &&
          html`
            <h3>Contacts left as they were</h3>
            <dl class="facts">
              ${undo.left.map(({ label, count }) => html`<dt>${label}</dt><dd>${ui.count(count)}</dd>`)}
            </dl>
          `
        }
        ${
          undo.kind === 'undone' &&
          html`
            <div class="row">
              <a class="button quiet" href="${ui.to(`/contacts?import=${id}`)}">View contacts</a>
              <a class="button quiet" href="${ui.to(`/calls?import=${id}`)}">View calls</a>
            </div>
          `
        }
      </section>
    `
  }
`
