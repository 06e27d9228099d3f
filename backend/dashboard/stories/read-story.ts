import type { Deps } from '../../deps.ts'
import { isInternational, parsePhone } from '../../platform/core/phone.ts'
import { callBadge } from '../../platform/views/badges.ts'
import { createTimeFormats, formatContactName, formatPlural } from '../../platform/views/format.ts'
import { findDoNotCallEntry } from '../../queue/calls/check-do-not-call.ts'
import { findCall } from '../../queue/calls/get-calls.ts'
import { findChanges } from '../../queue/contacts/contact-history.ts'
import { findContactsBy } from '../../queue/contacts/find-contacts.ts'
import { type CallHistory, readCallHistory } from './call-history.ts'
import { findEvent, findWorkspaceOfCall, selectLatestCalls, selectStoryWorkspaces } from './call-queries.ts'
import { toCallSteps, toRequestStep } from './call-steps.ts'
import { toChangeSteps } from './contact-changes.ts'
import { describeCall } from './describe-call.ts'
import { describeDeliveries, readDeliveries, toDeliverySteps } from './describe-deliveries.ts'
import { describeDoNotCall, type ListedNumber } from './describe-do-not-call.ts'
import { describeRequest, formatRequestLine } from './describe-request.ts'
import { selectRequestsByRequestId } from './request-queries.ts'
import { inOrder, type Story, type StoryWorkspace } from './story.ts'

type StoryDeps = Pick<Deps, 'db' | 'clock' | 'config'>

/** Builds the story of a call from what's stored about it. */
export function toCallStory(history: CallHistory, workspace: StoryWorkspace, now: Date): Story {
  const { call } = history
  const name = formatContactName(call.contact, call.to_number)
  return {
    workspace,
    subject: `Call ${call.id} to ${name}${call.test ? ' (test call)' : ''}: ${callBadge(call).text}`,
    sentences: describeCall(history, now, createTimeFormats(now, workspace.timeZone)),
    steps: toCallSteps(history, workspace.timeZone),
  }
}

/** Reads the story of a call, with the changes of its contact. Returns undefined if the workspace has no such call. */
async function readCallStory(
  deps: StoryDeps,
  workspace: StoryWorkspace,
  callId: number,
  { withChanges = true } = {},
): Promise<Story | undefined> {
  const now = deps.clock.now()
  const call = await findCall(deps, workspace.id, callId, now)
  const history = call && (await readCallHistory(deps, workspace, call))
  return history && toCallStory(withChanges ? history : { ...history, changes: [] }, workspace, now)
}

/** The subject of a story. `workspaceId` limits the search to one workspace. */
export type StoryKey = { workspaceId?: number | undefined } & (
  { callId: number } | { requestId: string } | { eventId: string } | { phoneNumber: string }
)

/** Reads the stories of a call, a request, an event, or a phone number: one for each workspace that has it. */
export async function readStories(deps: StoryDeps, key: StoryKey): Promise<Story[]> {
  const { db } = deps
  const workspaces = await selectStoryWorkspaces(db, key.workspaceId)
  const findWorkspace = (id: number | undefined) => workspaces.find((workspace) => workspace.id === id)
  if ('callId' in key) {
    const workspace = findWorkspace(await findWorkspaceOfCall(db, key.callId))
    return toList(workspace && (await readCallStory(deps, workspace, key.callId)))
  }
  if ('eventId' in key) {
    const event = await findEvent(db, key.eventId)
    const workspace = findWorkspace(event?.workspace_id)
    return toList(event && workspace && (await readEventStory(deps, workspace, event)))
  }
  if ('requestId' in key) {
    const requests = await selectRequestsByRequestId(db, key.requestId)
    const stories = requests.map(async (request) => {
      const workspace = findWorkspace(request.workspace_id)
      return toList(workspace && (await readRequestStory(deps, workspace, request)))
    })
    return (await Promise.all(stories)).flat()
  }
  const stories = workspaces.map(async (workspace) => {
    const parsed = parsePhone(key.phoneNumber, workspace.country)
    return parsed.ok ? toList(await readContactStory(deps, workspace, parsed.phoneNumber)) : []
  })
  return (await Promise.all(stories)).flat()
}

const toList = <Value>(value: Value | undefined): Value[] => (value === undefined ? [] : [value])

/** Returns true if a phone number can be searched for: in one workspace, or with a country code in all workspaces. */
export const isSearchable = (phoneNumber: string, workspaceId: number | undefined): boolean =>
  workspaceId !== undefined || isInternational(phoneNumber)

/** Reads the story of a request. If the request is about a call, includes the call's story. */
async function readRequestStory(
  deps: StoryDeps,
  workspace: StoryWorkspace,
  request: Awaited<ReturnType<typeof selectRequestsByRequestId>>[number],
): Promise<Story> {
  const call = request.call_id === null ? undefined : await readCallStory(deps, workspace, request.call_id)
  return {
    workspace,
    subject: `Request ${request.request_id}, ${formatRequestLine(request)}: ${request.status}`,
    sentences: [describeRequest(request), ...(call?.sentences ?? [])],
    steps: call?.steps ?? [toRequestStep(request)],
  }
}

/** Reads the story of an event. It begins with the event's deliveries, and then has the story of the call. */
async function readEventStory(
  deps: StoryDeps,
  workspace: StoryWorkspace,
  event: NonNullable<Awaited<ReturnType<typeof findEvent>>>,
): Promise<Story> {
  const now = deps.clock.now()
  const timeFormats = createTimeFormats(now, workspace.timeZone)
  const call = event.call_id === null ? undefined : await findCall(deps, workspace.id, event.call_id, now)
  const history = call && (await readCallHistory(deps, workspace, call))
  if (history === undefined) {
    const testHistory = { event, ...(await readDeliveries(deps.db, workspace.id, event.id)) }
    return {
      workspace,
      subject: `Test event ${event.id}`,
      sentences: describeDeliveries(testHistory, { goal_met: null, test: true }, timeFormats),
      steps: toDeliverySteps(testHistory, false),
    }
  }
  const story = toCallStory(history, workspace, now)
  const deliveries = describeDeliveries(history, history.call, timeFormats)
  return {
    ...story,
    subject: `Event ${event.id} of ${lowerFirst(story.subject)}`,
    sentences: [...deliveries, ...story.sentences.filter((sentence) => !deliveries.includes(sentence))],
  }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const maxCalls = 5
const maxChanges = 25

/** Reads the story of a contact. Returns undefined if the workspace doesn't have the phone number. */
async function readContactStory(
  deps: StoryDeps,
  workspace: StoryWorkspace,
  phoneNumber: string,
): Promise<Story | undefined> {
  const { db } = deps
  const [contact] = await findContactsBy(db, workspace.id, 'phone_number', phoneNumber)
  const entry = await findDoNotCallEntry(db, workspace.id, phoneNumber)
  const listed = entry && (await describeDoNotCall(deps, workspace, entry))
  if (contact === undefined) {
    if (listed === undefined) return undefined
    const sentences = [notCalled(listed), 'The workspace has no contact with this number.']
    return { workspace, subject: phoneNumber, sentences, steps: [listed.step] }
  }
  const found = await selectLatestCalls(db, workspace.id, contact.id, maxCalls)
  // Omits the changes of the contact from the calls' stories, because the contact's story has them.
  const readCall = async (call: { id: number; test: boolean }) => {
    const story = await readCallStory(deps, workspace, call.id, { withChanges: false })
    return toList(story && { ...call, ...story })
  }
  const calls = (await Promise.all(found.map(readCall))).flat()
  const changes = await toChangeSteps(
    db,
    workspace.id,
    await findChanges(db, workspace.id, contact.id, maxChanges),
  )
  return {
    workspace,
    subject: `Contact ${contact.id}, ${formatContactName(contact, phoneNumber)}`,
    sentences: [...toList(listed && notCalled(listed)), ...describeCalls(calls)],
    steps: inOrder([
      ...changes,
      ...toList(listed?.step),
      ...calls.flatMap(({ id, steps }) =>
        steps.map((each) => ({ ...each, title: `Call ${id}: ${each.title}` })),
      ),
    ]),
  }
}

/** Describes the latest real call. Without one, says so, and describes the latest test call. */
function describeCalls(calls: readonly (Story & { id: number; test: boolean })[]): string[] {
  const [latest] = calls
  if (latest === undefined) return ['No call was queued for this contact.']
  const [cause = '', ...others] = latest.sentences
  const isLimited = calls.length === maxCalls
  const shown = isLimited
    ? `the latest ${maxCalls} calls, real calls first`
    : formatPlural(calls.length, 'call')
  const steps = `The steps are those of ${shown}.`
  if (latest.test) {
    const summary = `Latest test call, call ${latest.id}: ${cause}`
    return ['No real call was queued for this contact.', summary, ...others, steps]
  }
  const testCalls = calls.filter(({ test }) => test).map(({ id }) => `call ${id}`)
  const tests = testCalls.length === 0 ? '' : ` Test calls, which ring no phone: ${testCalls.join(', ')}.`
  return [`Latest call, call ${latest.id}: ${cause}`, ...others, `${steps}${tests}`]
}

const notCalled = ({ text }: ListedNumber): string => `The number isn't called, because it was ${text}`
