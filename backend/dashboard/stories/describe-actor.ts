import type { Actor, CallOrigin } from '../../platform/core/actor.ts'
import type { Db } from '../../platform/db/schema.ts'
import { findAgentName, findApiKeyName, findAppName, findUserName, isImport } from './actor-queries.ts'

/** A sentence in parts, some of which are links. */
export type LinkedText = readonly { text: string; path?: string }[]

export const toText = (parts: LinkedText): string => parts.map(({ text }) => text).join('')

/** Says who or what queued a call: “API key “Website””, “Zapier, connected by Robin”, “Scheduled callback from call 12”. */
export async function describeOrigin(
  db: Db,
  workspaceId: number,
  origin: CallOrigin | null,
): Promise<LinkedText> {
  if (origin === null) return [{ text: 'Not recorded' }]
  if (origin.kind === 'scheduled_callback') {
    return [{ text: 'Scheduled callback from ' }, callLink(origin.call_id)]
  }
  if (origin.kind === 'call_again') {
    const member = await findUserName(db, origin.id)
    return [{ text: `${member}, with “Call again” on ` }, callLink(origin.call_id)]
  }
  return describeActor(db, workspaceId, origin)
}

/** Names an actor: “API key “Website””, “Zapier, connected by Robin”, “the agent Ava during call 12”. */
export async function describeActor(db: Db, workspaceId: number, actor: Actor): Promise<LinkedText> {
  switch (actor.kind) {
    case 'api_key': {
      const name = await findApiKeyName(db, workspaceId, actor.id)
      return [{ text: name === undefined ? 'an API key' : `API key “${name}”`, path: '/settings/api-keys' }]
    }
    case 'app': {
      const app = { text: await findAppName(db, actor.id), path: '/integrations/apps' }
      return [app, { text: `, connected by ${await findUserName(db, actor.user_id)}` }]
    }
    case 'member':
      return [{ text: await findUserName(db, actor.id) }]
    case 'import': {
      // No link to an import that was deleted: imports are deleted after seven days.
      const exists = await isImport(db, workspaceId, actor.id)
      const file = actor.name ? `import ${actor.name}` : 'an import'
      const uploader = actor.user_id === null ? '' : `, uploaded by ${await findUserName(db, actor.user_id)}`
      return [{ text: file, ...(exists && { path: `/contacts/import/${actor.id}` }) }, { text: uploader }]
    }
    case 'import_undo': {
      const exists = await isImport(db, workspaceId, actor.id)
      const importLink = { text: 'an import', ...(exists && { path: `/contacts/import/${actor.id}` }) }
      return [{ text: `${await findUserName(db, actor.user_id)}, by undoing ` }, importLink]
    }
    case 'agent': {
      const agent = {
        text: `the agent ${await findAgentName(db, workspaceId, actor.id)}`,
        path: `/agents/${actor.id}`,
      }
      return actor.call_id === null ? [agent] : [agent, { text: ' during ' }, callLink(actor.call_id)]
    }
  }
}

const callLink = (callId: number) => ({ text: `call ${callId}`, path: `/calls/${callId}` })
