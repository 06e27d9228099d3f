import { text as readAll } from 'node:stream/consumers'
import * as z from 'zod'
import { createAgent, setAgentStatus } from '../../queue/agents/agents.ts'
import { addDocument } from '../../tools/knowledge/documents.ts'
import { defineCommand, flag, optional, repeated, required, text } from '../command.ts'
import { idOption, requireWorkspace, workspaceOption } from '../command-options.ts'

export const createAgentCommand = defineCommand({
  name: 'create-agent',
  summary: 'Creates a voice agent, as a draft or Live.',
  options: {
    workspace: workspaceOption,
    name: required(text, 'NAME', 'name of the agent'),
    language: optional(text, 'TAG', 'language tag (BCP 47); en-US by default'),
    greeting: optional(
      text,
      'TEXT',
      'first sentence of a call; can contain {{first_name}} and the variables, with a fallback: {{first_name|there}}',
    ),
    variable: repeated('NAME', 'contact variable that the script uses'),
    live: flag('make the agent Live, so that campaigns can use it'),
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
  summary: 'Makes an agent Live, or pauses it. While it is paused, its calls wait.',
  options: {
    workspace: workspaceOption,
    id: idOption('agent ID (see list-agents)'),
    status: required(z.enum(['live', 'paused']), 'STATUS', 'live or paused'),
  },
  run: async (deps, { workspace, id, status }) => {
    await setAgentStatus(deps, workspace, id, status)
    return { note: `Agent ${id} is now ${status}.` }
  },
})

export const addDocumentCommand = defineCommand({
  name: 'add-document',
  summary: 'Adds a document that agents can search. Reads plain text from standard input.',
  options: {
    workspace: workspaceOption,
    title: required(text, 'TITLE', 'title of the document, which agents see in search results'),
  },
  run: async (deps, { workspace, title }, input) => {
    await requireWorkspace(deps, workspace)
    const { id } = await addDocument(deps, workspace, { title, body: await readAll(input) })
    return { record: { document_id: id } }
  },
})
