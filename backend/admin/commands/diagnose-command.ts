import { isSearchable, readStories, type StoryKey } from '../../dashboard/stories/read-story.ts'
import type { Step, Story } from '../../dashboard/stories/story.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { formatDate } from '../../platform/views/format.ts'
import { defineCommand, optional, text } from '../command.ts'
import { removeControlCharacters } from '../command-line.ts'
import { Id } from '../command-options.ts'

const options = {
  call: optional(Id, 'ID', "call ID, as in the call's URL and in the step's output"),
  contact: optional(text, 'PHONE', "contact's phone number, with its country code or with --workspace"),
  request: optional(text, 'ID', 'request ID, as in the error of a Zap step'),
  event: optional(text, 'ID', 'event ID, such as evt_…'),
  workspace: optional(Id, 'ID', 'only in this workspace (see npm run admin -- list-workspaces)'),
}

interface Values {
  call: number | undefined
  contact: string | undefined
  request: string | undefined
  event: string | undefined
  workspace: number | undefined
}

export const diagnoseCommand = defineCommand({
  name: 'diagnose',
  summary: 'Says what happened to a call, a contact, an API request, or an event, and why',
  options,
  check: ({ workspace, ...values }) => {
    const given = Object.values(values).filter((value) => value !== undefined)
    if (given.length !== 1) return 'Use one of --call, --contact, --request, and --event.'
    if (values.contact !== undefined && !isSearchable(values.contact, workspace))
      return '--contact: include the country code, such as +1, or add --workspace.'
    return undefined
  },
  run: async (deps, values) => {
    const stories = await readStories(deps, toKey(values))
    if (stories.length === 0) throw new FormError('not_found', describeMissing(values))
    return { report: { text: stories.map(formatStory).join('\n\n'), json: stories.map(toJson) } }
  },
})

function toKey({ call, contact, request, event, workspace: workspaceId }: Values): StoryKey {
  if (call !== undefined) return { workspaceId, callId: call }
  if (contact !== undefined) return { workspaceId, phoneNumber: contact }
  if (request !== undefined) return { workspaceId, requestId: request }
  return { workspaceId, eventId: event ?? '' }
}

function describeMissing({ call, contact, request }: Values): string {
  if (call !== undefined) return `Call ${call} not found.`
  if (contact !== undefined)
    return "No workspace has a contact with this number, and it isn't on a do-not-call list. If a request was rejected, look for its request ID."
  if (request !== undefined)
    return "No request with this ID is in the API log. It has the requests of the last 14 days that had a valid API key or access token. For others, search the service's log."
  return 'Event not found.'
}

function formatStory({ workspace, subject, sentences, steps }: Story): string {
  const { id, name, timeZone } = workspace
  return [
    removeControlCharacters(`${subject} (workspace ${id}, ${name})`),
    ...sentences.map(removeControlCharacters),
    '',
    `Times in ${timeZone}:`,
    ...steps.flatMap((step) => formatStep(step, timeZone)),
  ].join('\n')
}

function formatStep({ at, title, detail, tool }: Step, timeZone: string): string[] {
  const time = at === null ? 'Now' : formatDate('full', at, timeZone)
  const details = [
    detail,
    ...(tool === null
      ? []
      : [
          `${tool.isError ? 'Failed' : tool.dryRun ? 'Dry run' : 'Succeeded'} in ${tool.ms} ms`,
          `Arguments: ${tool.arguments}`,
          `Result: ${tool.result}`,
        ]),
  ]
  return [
    `- ${time}  ${removeControlCharacters(title)}`,
    ...details.filter((line) => line !== '').map((line) => `    ${removeControlCharacters(line)}`),
  ]
}

const toJson = ({ workspace, subject, sentences: [cause, ...notes], steps }: Story) => ({
  workspace_id: workspace.id,
  subject,
  cause,
  notes,
  steps: steps.map(({ at, title, detail, tool }) => ({ at, title, detail, tool })),
})
