import { text as readAll } from 'node:stream/consumers'
import * as z from 'zod'
import { createAgent, setAgentStatus } from '../../agents/agents.ts'
import { addDocument } from '../../knowledge/documents.ts'
import { defineCommand, flag, optional, repeated, required, text } from '../command.ts'
import { idOption, requireWorkspace, workspaceOption } from '../command-options.ts'

export const createAgentCommand = defineCommand({
  name: 'create-agent',
  summary: 'Makes a voice agent: a draft, or Live at once.',
  options: {
    workspace: workspaceOption,
    name: required(text, 'NAME', 'how the lists call it'),
    language: optional(text, 'TAG', 'BCP 47, en-US by default'),
    greeting: optional(text, 'TEXT', 'its first sentence; {{first_name}} and the variables can stand in it'),
    variable: repeated('NAME', 'what its script uses of the data of a contact'),
    live: flag('campaigns can use it at once'),
  },
  run: async (deps, { workspace, name, language, greeting = '', variable, live }) => {
    await requireWorkspace(deps, workspace)
    const status = live ? 'live' : 'draft'
    const agent = await createAgent(deps, workspace, {
      name,
      language,
      greeting,
      variables: variable,
      status,
    })
    return { record: { agent_id: agent.id, status: agent.status, widget_id: agent.widget_id } }
  },
})

export const setAgentStatusCommand = defineCommand({
  name: 'set-agent-status',
  summary: 'Makes an agent Live, or pauses it: its calls wait until it is Live again.',
  options: {
    workspace: workspaceOption,
    id: idOption('the agent: see list-agents'),
    status: required(z.enum(['live', 'paused']), 'STATUS', 'live or paused'),
  },
  run: async (deps, { workspace, id, status }) => {
    await setAgentStatus(deps, workspace, id, status)
    return { note: `The agent ${id} is ${status}.` }
  },
})

export const addDocumentCommand = defineCommand({
  name: 'add-document',
  summary: 'Adds plain text on standard input to what the agents of a workspace can search.',
  options: {
    workspace: workspaceOption,
    title: required(text, 'TITLE', 'how the document is called: agents name it where they quote it'),
  },
  run: async (deps, { workspace, title }, input) => {
    await requireWorkspace(deps, workspace)
    const { id } = await addDocument(deps, workspace, { title, body: await readAll(input) })
    return { record: { document_id: id } }
  },
})
