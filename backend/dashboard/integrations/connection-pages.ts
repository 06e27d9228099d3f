import * as z from 'zod'
import { disconnectApp } from '../../accounts/access/revoke-connection.ts'
import { knownScopes, scopeDescriptions } from '../../accounts/oauth/scopes.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { loopbackHosts } from '../../platform/core/loopback.ts'
import { copyable, time } from '../../platform/views/elements.ts'
import { formatRemovedSubscriptions, formatSubscriptionsToRemove } from '../../platform/views/format.ts'
import { confirm } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { defineAction, definePage, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { IdParam, lockRights, pathTo, TextParam } from '../page/page-context.ts'
import type { PageModel } from '../page/page-model.ts'
import { type ConnectedApp, selectConnectedApps } from './connected-app-queries.ts'
import { integrationTabs } from './integration-tabs.ts'

const connectedAppsPath = '/integrations/apps'

const connectedAppsView = defineView(
  ({ ui, form, user, isOwner }, { apps }: { apps: readonly ConnectedApp[] }) => html`
    ${integrationTabs({ ui, here: '/integrations/apps' })}
    <div class="page-head">
      <div>
        <h2>Connected apps</h2>
        <p class="lead">Apps that can access this workspace. A connection stays active until someone disconnects it.</p>
      </div>
    </div>
    ${
      apps.length === 0 &&
      html`
        <section class="panel flush" aria-label="Connected apps">
          <div class="empty">
            <p><strong>No connected apps yet.</strong></p>
            <p>To connect Zapier, add Outdial to a Zap and sign in.</p>
            <a class="button quiet" href="${ui.to('/integrations')}">Connect Zapier</a>
          </div>
        </section>
      `
    }
    ${apps.map((app, index) =>
      connectedApp({ ui, form }, `app-${index}`, app, isOwner || app.user_id === user.userId),
    )}
  `,
)

/** @param key is unique on the page */
function connectedApp(
  { ui, form }: Pick<PageModel, 'ui' | 'form'>,
  key: string,
  app: ConnectedApp,
  canDisconnect: boolean,
): Html {
  const abilities = knownScopes(app.scopes).map((scope) => scopeDescriptions[scope])
  return html`
    <section class="panel" aria-labelledby="${key}">
      <div class="panel-head">
        <h3 id="${key}">${app.app}</h3>
        ${
          canDisconnect &&
          confirm({
            form,
            id: `disconnect-${key}`,
            action: ui.to(
              `/integrations/apps/${app.user_id}/${encodeURIComponent(app.client_id)}/disconnect`,
            ),
            label: 'Disconnect',
            question: `Disconnect ${app.app}?`,
            detail: formatDisconnectDetail(app.user_name, app.subscription_count),
            confirm: 'Disconnect app',
          })
        }
      </div>
      <dl class="facts">
        <dt>Connected by</dt><dd>${app.user_name} <span class="soft">${app.email}</span></dd>
        <dt>Connected</dt><dd>${time(ui, app.since)}</dd>
        <dt>Last used</dt>
        <dd>
          ${app.last_used_at ? time(ui, app.last_used_at, 'ago') : html`<span class="soft">Never</span>`}
        </dd>
        <dt>Webhooks</dt>
        <dd>
          ${
            app.subscription_count === 0
              ? html`<span class="soft">None</span>`
              : html`
                <a href="${ui.to('/integrations/webhooks')}">${ui.plural(app.subscription_count, 'subscription')}</a>
              `
          }
        </dd>
        <dt>Permissions</dt>
        <dd>
          ${
            abilities.length === 0
              ? html`<span class="soft">None</span>`
              : html`
                <ul class="may">
                  ${abilities.map((ability) => html`<li>${ability}</li>`)}
                </ul>
              `
          }
        </dd>
      </dl>
    </section>
  `
}

export const connectedAppsPage = definePage({
  query: noInput,
  show: async (deps, { workspace }) =>
    connectedAppsView('Connected apps', { apps: await selectConnectedApps(deps.db, workspace.id) }),
})

function formatDisconnectDetail(userName: string, subscriptionCount: number): string {
  const detail = `${userName}'s Zaps that use this connection stop working until they reconnect it.`
  return subscriptionCount === 0 ? detail : `${detail} ${formatSubscriptionsToRemove(subscriptionCount)}.`
}

/** Path parameters of a connection: the user who connected the app, and the app. */
const ConnectionParams = z.object({ userId: IdParam, clientId: TextParam })

export const disconnectAppAction = defineAction({
  params: ConnectionParams,
  form: noInput,
  run: async (tx, context) => {
    const workspaceId = context.workspace.id
    const { userId, clientId } = context.params
    const connections = await selectConnectedApps(tx.db, workspaceId)
    const connection = connections.find((one) => one.user_id === userId && one.client_id === clientId)
    if (connection === undefined) throw new FormError('not_found', 'Connection not found.')
    await lockRights(tx, context, userId === context.user.userId ? 'member' : 'owner')
    const { subscriptions } = await disconnectApp(tx, workspaceId, userId, clientId)
    return redirectTo(
      pathTo(context, connectedAppsPath),
      `${connection.app} was disconnected${formatRemovedSubscriptions(subscriptions)}.`,
    )
  },
  back: (context) => pathTo(context, connectedAppsPath),
})

interface ConnectData {
  /** True if `publicUrl` is a loopback address, which Zapier can't reach. */
  isLocal: boolean
  addresses: { id: string; label: string; value: string }[]
  publicUrl: string
  apiUrl: string
}

const createClientCommand = `npm run admin -- create-oauth-client --name Zapier \\
  --redirect-uri 'https://zapier.com/dashboard/auth/oauth/return/App<ID>CLIAPI/' \\
  --redirect-uri http://localhost:9000`

const setAddressCommand = (publicUrl: string) =>
  `npx zapier-platform env:set 1.0.0 \\\n  BASE_URL=${publicUrl} CLIENT_ID=odc_… CLIENT_SECRET=ods_…`

const connectView = defineView(
  ({ ui, user, workspace }, { isLocal, publicUrl, apiUrl, addresses }: ConnectData) => html`
    ${integrationTabs({ ui, here: '/integrations' })}
    ${
      isLocal &&
      html`
        <p class="notice" data-tone="warn">
          Zapier can't connect because Outdial's address works only on this machine. Set <code>PUBLIC_URL</code> to a public
          https URL. To try the connector without Zapier, install all packages with <code>npm ci</code>, and run <code>npm run demo</code>.
        </p>
      `
    }
    <div class="columns">
      <div>
        <section class="panel" aria-labelledby="steps">
          <h2 id="steps">Connect Zapier</h2>
          <ol class="how">
            <li><strong>Add Outdial to a Zap.</strong> Choose the action <em>Queue Call</em>, or the trigger <em>Call Completed</em>.</li>
            <li><strong>Sign in when Zapier asks.</strong> Use your Outdial email and password. Your email is ${user.email}.</li>
            <li>
              <strong>Choose the workspace ${workspace.name}.</strong> A connection works with one workspace. To use
              another workspace, add another connection.
            </li>
            <li><strong>Test the step.</strong> First, set <em>Test Call</em> to <em>Yes</em>. The call is simulated, so no phone
              rings. <em>Call Completed</em> triggers for test calls only if its <em>Include Test Calls</em> is <em>Yes</em>.</li>
          </ol>
          <p class="soft">
            You'll find the connection under <a href="${ui.to('/integrations/apps')}">Connected apps</a>, and Zaps that
            start with <em>Call Completed</em> under <a href="${ui.to('/integrations/webhooks')}">Webhooks</a>.
          </p>
        </section>
        <section class="panel" aria-labelledby="upload">
          <h2 id="upload">If Zapier doesn't list Outdial</h2>
          <p>
            The people who run this server upload the connector once, as <code>docs/guides/connect-zapier.md</code> describes. These
            are the commands for this server.
          </p>
          <p class="soft">
            On the server, with the number that <code>npx zapier-platform describe</code> shows in place of <code>&lt;ID&gt;</code>:
          </p>
          <pre tabindex="0" aria-label="Command on the server">${createClientCommand}</pre>
          <p class="soft">On the computer that uploaded the connector, with the ID and secret that this command printed:</p>
          <pre tabindex="0" aria-label="Command on the computer">${setAddressCommand(publicUrl)}</pre>
        </section>
        <section class="panel" aria-labelledby="own">
          <h2 id="own">API</h2>
          <p>Create an <a href="${ui.to('/settings/api-keys')}">API key</a> and send it with each request:</p>
          <pre tabindex="0" aria-label="Example request">${`curl ${apiUrl}/campaigns/ \\\n  -H "Authorization: Bearer odk_…"`}</pre>
        </section>
      </div>
      <div>
        <section class="panel" aria-labelledby="addresses">
          <h2 id="addresses">URLs and IDs</h2>
          <dl class="address-list">
            ${addresses.map(
              (address) => html`
                <dt>${address.label}</dt>
                <dd>${copyable({ id: address.id, value: address.value, label: `Copy ${address.label}` })}</dd>
              `,
            )}
            <dt>Workspace ID</dt>
            <dd>${copyable({ id: 'workspace-id', value: String(workspace.id), label: 'Copy workspace ID' })}</dd>
          </dl>
        </section>
      </div>
    </div>
  `,
)

/** Creates the page that explains how to build a first Zap. It also lists the URLs for connecting other clients. */
export const connectZapierPage = definePage({
  query: noInput,
  show: async ({ config: { publicUrl } }) => {
    const apiUrl = `${publicUrl}/api/public/v1`
    const addresses = [
      { id: 'api-url', label: 'API base URL', value: apiUrl },
      { id: 'openapi-url', label: 'OpenAPI document', value: `${apiUrl}/openapi.json` },
      { id: 'docs-url', label: 'API reference', value: `${publicUrl}/docs` },
      { id: 'authorize-url', label: 'OAuth 2.0 authorization URL', value: `${publicUrl}/oauth/authorize` },
      { id: 'token-url', label: 'OAuth 2.0 token URL', value: `${publicUrl}/oauth/token` },
      { id: 'revoke-url', label: 'OAuth 2.0 revocation URL', value: `${publicUrl}/oauth/revoke` },
    ]
    const isLocal = loopbackHosts.has(new URL(publicUrl).hostname)
    return connectView('Connect Zapier', { isLocal, publicUrl, addresses, apiUrl })
  },
})

const realCallsView = defineView(
  ({ ui, isSimulated }) => html`
    ${integrationTabs({ ui, here: '/integrations/real-calls' })}
    <section class="panel" aria-labelledby="needs">
      <h2 id="needs">What real calls need</h2>
      ${
        isSimulated
          ? html`
            <p>
              This server simulates every call: the contact, the agent's voice, and the conversation. The queue, calling hours, tools, and
              webhooks work as they do for real calls.
            </p>
          `
          : html`<p>This server's calls are real: your agent runtime makes them. Only test calls are simulated.</p>`
      }
      <ol class="how">
        <li>
          <strong>An agent runtime.</strong> A system of yours with a phone connection, a voice, and a language model. Outdial tells it whom to
          call and when, and gives it the agent's greeting, instructions, results to find out, and tools. It holds the conversation, and
          Outdial stores the results.
        </li>
        <li>
          <strong>Phone numbers that you may call from.</strong> Your carrier provides them. Add them under
          <a href="${ui.to('/phone-numbers')}">Phone numbers</a>.
        </li>
        <li>
          <strong>Three settings on the server.</strong> Your operator sets <code>TELEPHONY=http</code>,
          <code>RUNTIME_URL</code>, and <code>RUNTIME_SIGNING_KEY</code>, then restarts Outdial. The page “Agent runtimes” of the
          documentation (<code>docs/reference/runtime.md</code>) describes the requests and has a runtime to copy.
        </li>
      </ol>
    </section>
  `,
)

/** Says what real calls need. While calls are simulated, each page of the dashboard links to this page. */
export const realCallsPage = definePage({
  query: noInput,
  show: () => Promise.resolve(realCallsView('Real calls', {})),
})
