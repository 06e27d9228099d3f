import { pager, time } from '../../platform/views/elements.ts'
import { html } from '../../platform/views/html.ts'
import { type FoundPassage } from '../../tools/knowledge/search-knowledge.ts'
import { defineView } from '../page/define-page.ts'
import { searchForm } from '../page/search-form.ts'
import { type DocumentSummary } from './knowledge-queries.ts'
import { knowledgeTabs } from './knowledge-tabs.ts'

interface ListData {
  search: string
  /** Search results, best match first; null without a search. */
  found: { passages: FoundPassage[]; more: FoundPassage[] } | null
  documents: DocumentSummary[]
  previous: string | null
  next: string | null
}

export const knowledgeView = defineView(({ ui }, { search, found, documents, previous, next }: ListData) => {
  const { passages, more } = found ?? { passages: [], more: [] }
  return html`
    <div class="page-head">
      <div>
        <h1>Knowledge</h1>
        <p class="lead">Documents your agents search and quote during calls.</p>
      </div>
      <a class="button primary" href="${ui.to('/knowledge/new')}">Add document</a>
    </div>
    ${knowledgeTabs({ ui, here: '/knowledge' })}
    ${searchForm(ui, {
      path: '/knowledge',
      target: '#results',
      search: {
        label: 'Test a question',
        value: search,
        placeholder: 'What does an inspection cost?',
        maxlength: 500,
        autocomplete: 'off',
        look: 'field question',
      },
      button: 'Search',
      trigger: 'input changed delay:300ms, change, submit',
    })}
    <div id="results">
      ${
        found
          ? passages.length === 0
            ? html`
              <section class="panel flush" aria-label="Search results">
                <div class="empty">
                  <p><strong>No passages found.</strong></p>
                  <p>Agents wouldn't find an answer either. Try other words, or add a document that answers the question.</p>
                  <a class="button quiet small" href="${ui.to('/knowledge')}">Show all documents</a>
                </div>
              </section>
            `
            : html`
              <section class="panel" aria-labelledby="given">
                <div class="panel-head"><h2 id="given">Passages for the agent</h2><span class="soft small-text">best match first</span></div>
                <ol class="passages">
                  ${passages.map(
                    (passage) => html`
                      <li><a href="${ui.to(`/knowledge/${passage.documentId}`)}">${passage.title}</a><p class="passage">${passage.text}</p></li>
                    `,
                  )}
                </ol>
              </section>
              ${
                more.length > 0 &&
                html`
                  <section class="panel" aria-labelledby="more">
                    <div class="panel-head"><h2 id="more">More matches</h2><span class="soft small-text">the agent doesn't get these</span></div>
                    <ol class="passages" start="${passages.length + 1}">
                      ${more.map(
                        (passage) => html`
                          <li><a href="${ui.to(`/knowledge/${passage.documentId}`)}">${passage.title}</a><p class="passage">${passage.text}</p></li>
                        `,
                      )}
                    </ol>
                  </section>
                `
              }
            `
          : html`
            <section class="panel flush" aria-label="Documents">
              ${
                documents.length === 0
                  ? html`
                    <div class="empty">
                      ${
                        previous
                          ? html`
                            <p><strong>No more documents.</strong></p>
                            <a class="button quiet small" href="${previous}">Back</a>
                          `
                          : html`
                            <p><strong>No documents yet.</strong></p>
                            <p>Add prices, terms, opening hours, and anything else people ask about. Then assign the tool “knowledge_search” to an agent.</p>
                            <a class="button quiet" href="${ui.to('/knowledge/new')}">Add your first document</a>
                          `
                      }
                    </div>
                  `
                  : html`
                    <div class="table-scroll" tabindex="0" role="group" aria-label="Documents">
                      <table>
                        <thead>
                          <tr>
                            <th scope="col">Document</th>
                            <th scope="col" class="number">Characters</th>
                            <th scope="col" class="number">Passages</th>
                            <th scope="col">Updated at</th>
                          </tr>
                        </thead>
                        <tbody>
                          ${documents.map(
                            (document) => html`
                              <tr>
                                <th scope="row"><a href="${ui.to(`/knowledge/${document.id}`)}">${document.title}</a></th>
                                <td class="number">${ui.count(document.size)}</td>
                                <td class="number">${ui.count(document.passages)}</td>
                                <td class="nowrap">${time(ui, document.updated_at)}</td>
                              </tr>
                            `,
                          )}
                        </tbody>
                      </table>
                    </div>
                    ${pager({ previous, next })}
                  `
              }
            </section>
          `
      }
    </div>
  `
})
