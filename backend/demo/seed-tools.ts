import type { ToolKindName } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { addDocument } from '../knowledge/add-document.ts'
import { createSpreadsheet } from '../spreadsheets/manage-spreadsheets.ts'
import { assignTool } from '../tools/assignments.ts'
import { listTools } from '../tools/tool-catalog.ts'
import { documents } from './demo-documents.ts'

interface Agents {
  ava: { id: number }
  ben: { id: number }
}

/** What the simulated agent puts down of a talk. */
const columns = ['name', 'result']

/** Documents to search, and for each Live agent tools and a spreadsheet of its own. Drafts have none yet. */
export async function seedDemoTools(deps: Deps, workspaceId: number, { ava, ben }: Agents): Promise<void> {
  for (const document of documents) await addDocument(deps)(workspaceId, document)
  const leads = await createSpreadsheet(deps)(workspaceId, { name: 'New leads', columns })
  const visits = await createSpreadsheet(deps)(workspaceId, { name: 'Appointments', columns })
  const tools = new Map((await listTools(deps)(workspaceId)).map(({ kind, id }) => [kind, id]))
  const assign = async (agentId: number, kind: ToolKindName, config: object = {}) => {
    const toolId = tools.get(kind)
    if (toolId === undefined) throw new Error(`no tool ${kind} to assign`)
    await assignTool(deps)({ workspaceId, agentId, toolId, config })
  }

  for (const { id } of [ava, ben]) {
    await assign(id, 'contact_lookup')
    await assign(id, 'schedule_callback')
    await assign(id, 'do_not_call')
  }
  await assign(ava.id, 'knowledge_search')
  await assign(ava.id, 'contact_note')
  await assign(ava.id, 'spreadsheet_append', { spreadsheet_id: leads.id })
  await assign(ben.id, 'contact_update')
  await assign(ben.id, 'spreadsheet_append', { spreadsheet_id: visits.id })
}
