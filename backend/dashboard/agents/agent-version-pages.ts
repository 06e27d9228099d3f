import * as z from 'zod'
import { toActor } from '../../platform/core/actor.ts'
import { badge, time } from '../../platform/views/elements.ts'
import { button } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { findAgentVersion, restoreVersion, selectVersions } from '../../queue/agents/agents.ts'
import { defineAction, definePage, defineView, redirectTo } from '../page/define-page.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import type { PageModel } from '../page/page-model.ts'
import { describeActor, toText } from '../stories/describe-actor.ts'
import { type AgentWithCounts, getAgent } from './agent-queries.ts'
import { changeList, type FieldChange, findChanges } from './version-changes.ts'

/** Maximum number of versions that the page lists. An agent rarely has more. */
const maxShown = 100

/** The largest version number that the database can store. */
const maxNumber = 2 ** 31 - 1

const VersionNumber = z.coerce.number().int().min(1).max(maxNumber)

interface Version {
  number: number
  by: string
  at: Date
}

interface VersionsData {
  agent: AgentWithCounts
  versions: readonly Version[]
  shown: Version
  /** Lists the differences from the version before; null for the first one. */
  changes: readonly FieldChange[] | null
}

const versionsView = defineView(({ ui, form, title }, { agent, versions, shown, changes }: VersionsData) => {
  const path = ui.to(`/agents/${agent.id}`)
  return html`
    <a class="crumb" href="${path}">${icon('back')} ${agent.name}</a>
    <h1>${title}</h1>
    <div class="columns">
      <section class="panel" aria-labelledby="changes">
        <h2 id="changes">Version ${shown.number}</h2>
        <p class="soft small-text">Saved ${time(ui, shown.at, 'phrase')} by ${shown.by}.</p>
        ${
          changes === null
            ? html`<p>This is the first version.</p>`
            : html`
              <h3>Changes since version ${shown.number - 1}</h3>
              ${changes.length === 0 ? html`<p>Nothing differs.</p>` : changeList(changes)}
            `
        }
        ${
          shown.number !== agent.newest_version &&
          html`
            <div class="form-actions">
              ${button({
                form,
                action: `${path}/restore`,
                label: `Restore version ${shown.number}`,
                fields: { number: shown.number },
              })}
            </div>
          `
        }
        <p class="hint">
          A version has what the agent's form edits. The agent's tools and documents are always the current ones.
        </p>
      </section>
      <section class="panel flush" aria-labelledby="versions">
        <h2 id="versions">Versions</h2>
        ${versionTable({ ui }, agent, { versions, shown })}
      </section>
    </div>
  `
})

const versionTable = (
  { ui }: Pick<PageModel, 'ui'>,
  agent: AgentWithCounts,
  { versions, shown }: Pick<VersionsData, 'versions' | 'shown'>,
): Html => html`
  <div class="table-scroll" tabindex="0" role="group" aria-label="Versions">
    <table>
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">Saved</th>
        </tr>
      </thead>
      <tbody>
        ${versions.map(
          ({ number, by, at }) => html`
            <tr>
              <th scope="row">
                ${
                  number === shown.number
                    ? html`<strong aria-current="true">Version ${number}</strong>`
                    : html`<a href="${ui.to(`/agents/${agent.id}/versions?number=${number}`)}">Version ${number}</a>`
                }
                ${
                  number === agent.version &&
                  agent.status !== 'draft' &&
                  badge({ tone: 'good', text: 'Published' })
                }
              </th>
              <td>${time(ui, at)}<small>by ${by}</small></td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  </div>
`

export const agentVersionsPage = definePage({
  params: IdParams,
  query: z.object({ number: VersionNumber.optional().catch(undefined) }),
  show: async (deps, { workspace, params: { id: agentId }, query }) => {
    const { db } = deps
    const agent = await getAgent(deps, workspace.id, agentId)
    const toVersion = async ({
      number,
      created_by: by,
      created_at: at,
    }: Awaited<ReturnType<typeof selectVersions>>[number]): Promise<Version> => ({
      ...{ number, at },
      by: by === null ? 'a command' : toText(await describeActor(db, workspace.id, by)),
    })
    const rows = await selectVersions(db, workspace.id, agentId, maxShown)
    const number = query.number ?? agent.newest_version
    const shown = await findAgentVersion(db, workspace.id, agentId, number)
    const before = number === 1 ? null : await findAgentVersion(db, workspace.id, agentId, number - 1)
    return versionsView(`Versions of ${agent.name}`, {
      agent,
      versions: await Promise.all(rows.map(toVersion)),
      shown: await toVersion(shown),
      changes: before && findChanges(before.values, shown.values),
    })
  },
})

export const restoreVersionAction = defineAction({
  params: IdParams,
  form: z.object({ number: VersionNumber }),
  run: async (tx, context, { number }) => {
    const { workspace, params, caller } = context
    const { isPublished } = await restoreVersion(tx, workspace.id, params.id, number, toActor(caller))
    return redirectTo(
      pathTo(context, `/agents/${params.id}`),
      isPublished
        ? `Version ${number} restored.`
        : `Version ${number} restored. Calls use it when you publish it.`,
    )
  },
  back: (context) => pathTo(context, `/agents/${context.params.id}/versions`),
})
