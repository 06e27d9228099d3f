import { createInvitation } from '../../accounts/identity/invitations.ts'
import { uploadContacts } from '../../queue/contacts/import/imports.ts'
import { assignTool } from '../../tools/assignments.ts'
import { addDocument } from '../../tools/knowledge/documents.ts'
import { addHttpTool } from '../../tools/save-http-tool.ts'
import { insertSpreadsheetRow } from '../../tools/spreadsheets/spreadsheet-store.ts'
import { createSpreadsheet } from '../../tools/spreadsheets/spreadsheets.ts'
import { installBuiltInTools } from '../../tools/tool-catalog.ts'
import { subscribe } from '../../webhooks/subscriptions.ts'
import { addContact } from './calls.ts'
import { seedChatWithToken } from './chats-with-tokens.ts'
import { seedSignedInMember, seedSignedInOwner } from './dashboard.ts'
import { completeCall, seedApiKeyCaller, seedAppCaller } from './factories.ts'
import type { Service } from './service.ts'

/** The IDs of one object of each kind, by the objects' names in paths. */
export type SeededObjects = Awaited<ReturnType<typeof seedEverything>>

/** Creates a workspace with one object of each kind, each named after `mark`, and signs in its owner. */
export async function seedEverything(service: Service, mark: string) {
  const { deps } = service
  const { db } = deps
  const slug = mark.toLowerCase().replace(/\W+/g, '-')
  const user = await seedSignedInOwner(service, mark)
  const { seed, userId } = user
  const { workspaceId, campaignId, agentId, phoneNumberId } = seed
  await db.updateTable('campaign').set({ name: mark }).where('id', '=', campaignId).execute()
  await db.updateTable('agent').set({ name: mark }).where('id', '=', agentId).execute()
  await db.updateTable('phone_number').set({ label: mark }).where('id', '=', phoneNumberId).execute()
  const member = await seedSignedInMember(service, workspaceId, 'member')

  const caller = { workspaceId, userId, apiKeyId: null, clientId: null, scopes: [] }
  const queued = await addContact(deps, caller, {
    phone_number: '+12025550100',
    campaign_id: campaignId,
    first_name: mark,
    email: `${slug}@example.com`,
    variables: { product: mark },
  })
  const contactId = queued.contact.id
  const callId = queued.call.id
  await db
    .insertInto('contact_note')
    .values({ workspace_id: workspaceId, contact_id: contactId, text: mark })
    .execute()

  const chat = await seedChatWithToken(deps, { workspaceId, agentId, userId, contactId }, { said: mark })

  const key = await seedApiKeyCaller(deps, { ...seed, userId })
  const { subscription } = await subscribe(deps, key, {
    target_url: `https://hooks.example.com/${slug}`,
    event: 'call.completed',
  })
  const app = await seedAppCaller(deps, { ...seed, userId })
  const completed = await completeCall(deps, seed, { callbackUrl: `https://back.example.com/${slug}` })
  const deliveries = await db
    .updateTable('webhook_delivery')
    .set({ status: 'exhausted', next_attempt_at: null })
    .where('workspace_id', '=', workspaceId)
    .returning(['id', 'subscription_id'])
    .execute()

  await installBuiltInTools(deps, workspaceId)
  const { id: toolId } = await addHttpTool(deps, workspaceId, {
    name: 'look_up',
    description: mark,
    inputSchema: { type: 'object', properties: {} },
    method: 'GET',
    url: 'https://tools.example.com/look-up',
    secrets: { token: `secret of ${mark}` },
  })
  await assignTool(deps, workspaceId, agentId, toolId, {})
  const server = await db
    .insertInto('mcp_tool')
    .values({
      workspace_id: workspaceId,
      kind: 'remote_mcp',
      name: 'server',
      description: mark,
      input_schema: '{}',
      settings: JSON.stringify({
        url: 'https://mcp.example.com/',
        transport: 'auto',
        headers: {},
        tools: [],
      }),
      secrets: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()

  const { id: spreadsheetId } = await createSpreadsheet(deps, workspaceId, { name: mark, columns: [mark] })
  await insertSpreadsheetRow(db, workspaceId, spreadsheetId, { cells: [mark], createdAt: deps.clock.now() })
  const { id: documentId } = await addDocument(deps, workspaceId, { title: mark, body: `About ${mark}.` })
  await createInvitation(deps, workspaceId, userId, { email: `${slug}@example.com`, role: 'member' })
  const invitation = await db
    .selectFrom('invitation')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  const session = await db
    .selectFrom('session')
    .select('id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  const bytes = Buffer.from(`phone,name\n+12025550177,${mark}\nwrong,${mark}\n`)
  const importId = await uploadContacts(deps, caller, { name: `${mark}.csv`, bytes, isTooLarge: false })

  const at = deps.clock.now()
  const request = await db
    .insertInto('api_request')
    .values({
      ...{ workspace_id: workspaceId, user_id: userId, api_key_id: key.apiKeyId, call_id: callId },
      ...{ at, day: at.getUTCDate(), duration_ms: 5, request_id: `request-${slug}` },
      ...{ method: 'POST', route: '/contacts/', status: 201, fields: [] },
    })
    .returning('id')
    .executeTakeFirstOrThrow()

  return {
    user,
    member,
    mark,
    workspaceId,
    agent: agentId,
    apiKey: key.apiKeyId,
    app: app.clientId,
    call: callId,
    completedCall: completed.id,
    campaign: campaignId,
    chat: chat.id,
    contact: contactId,
    delivery: deliveries.find((row) => row.subscription_id !== null)?.id ?? 0,
    document: documentId,
    import: importId,
    invitation: invitation.id,
    memberId: member.userId,
    number: phoneNumberId,
    server: server.id,
    session: session.id,
    spreadsheet: spreadsheetId,
    subscription: subscription.id,
    tool: toolId,
    owner: userId,
    request: request.id,
  }
}
