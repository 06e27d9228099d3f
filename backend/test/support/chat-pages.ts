import type { Page } from '../../../support/browser.ts'
import type { Deps } from '../../deps.ts'
import { toActor } from '../../platform/core/actor.ts'
import { saveAgent } from '../../queue/agents/agents.ts'
import type { AgentInput } from '../../queue/agents/validate-agent.ts'
import { assignTool } from '../../tools/assignments.ts'
import { installBuiltInTools, listTools } from '../../tools/tool-catalog.ts'
import { seedSignedInOwner, type SignedInUser } from './dashboard.ts'
import type { Service } from './service.ts'

export type Chatter = Awaited<ReturnType<typeof seedChatter>>

/** Signs in an owner whose agent has instructions and results. */
export async function seedChatter(service: Service, agent: Partial<AgentInput> = {}) {
  const user = await seedSignedInOwner(service)
  const { workspaceId, agentId } = user.seed
  const values: AgentInput = {
    name: 'Ava',
    greeting: 'Hi {{first_name}}, this is {{agent}}.',
    instructions: 'Ask: Do you own a house? Ask: Which day suits you?',
    goal: 'The contact owns a house.',
    results: [{ name: 'appointment_day', type: 'text', description: '', choices: [] }],
    variables: ['product'],
    ai_disclosure: false,
    ...agent,
  }
  const caller = { workspaceId, userId: user.userId, apiKeyId: null, clientId: null, scopes: [] }
  await saveAgent(service.deps, workspaceId, agentId, values, toActor(caller))
  return { ...user, agentPath: `/agents/${agentId}`, workspaceId, agentId }
}

/** Assigns the tool that takes notes to the agent. */
export async function assignNoteTool(deps: Deps, { workspaceId, agentId }: Chatter): Promise<void> {
  await installBuiltInTools(deps, workspaceId)
  const note = (await listTools(deps, workspaceId)).find(({ name }) => name === 'contact_note')
  await assignTool(deps, workspaceId, agentId, note?.id ?? 0, {})
}

/** Starts a chat on the agent's page. Returns the chat's page. */
export async function startChat(user: Chatter, fields: Record<string, string> = {}): Promise<Page> {
  const { page } = await user.browser.press(await user.open(user.agentPath), 'Start chat', fields)
  return page
}

export const say = async (user: SignedInUser, page: Page, text: string): Promise<Page> =>
  (await user.browser.press(page, 'Send', { text })).page

export const sayNothing = async (user: SignedInUser, page: Page): Promise<Page> =>
  (await user.browser.press(page, 'Say nothing', { _silence: 'yes' })).page

const hiddenField = ({ html }: Page, name: string) =>
  new RegExp(`id="chat-form"[\\s\\S]*?name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''

export interface StreamedTurn {
  response: Response
  parts: AsyncGenerator<{ type: string; html?: string; text?: string; target?: string }, void>
  /** Closes the connection, as the page does when the member interrupts the agent. */
  abort: () => void
}

/** Sends a turn as the page's script does. */
export async function streamTurn(
  user: SignedInUser,
  page: Page,
  fields: Record<string, string>,
): Promise<StreamedTurn> {
  const abort = new AbortController()
  const response = await fetch(page.url.replace(/#.*/, ''), {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/event-stream', cookie: user.browser.cookies().join('; ') },
    body: new URLSearchParams({
      _csrf: hiddenField(page, '_csrf'),
      _once: `${hiddenField(page, '_once')}-${crypto.randomUUID()}`,
      ...fields,
    }),
    signal: abort.signal,
  })
  return { response, parts: readParts(response), abort: () => abort.abort() }
}

async function* readParts({ body }: Response): StreamedTurn['parts'] {
  if (body === null) throw new Error('the response has no body')
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const events = `${text}${chunk}`.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) yield JSON.parse(event.slice('data: '.length)) as { type: string }
  }
}
