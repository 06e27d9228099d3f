import type { Call } from '@outdial/contract'
import { secondMs } from '../../platform/core/durations.ts'
import { toWebLink } from '../../platform/views/elements.ts'
import { type Html, html } from '../../platform/views/html.ts'
import type { Ui } from '../page/page-model.ts'

/** Shows the conversation of a call, or says that it was deleted. Null if there was none. */
export function callTranscript(ui: Ui, call: Call, isErased: boolean): Html | null {
  const recordingUrl = toWebLink(call.recording_url)
  if (call.transcript.length > 0)
    return html`
      <section class="panel" aria-labelledby="transcript">
        <div class="panel-head">
          <h2 id="transcript">Transcript</h2>
          ${recordingUrl ? html`<a class="small-text" href="${recordingUrl}" rel="noreferrer">Listen to recording</a>` : null}
        </div>
        <ol class="transcript">
          ${call.transcript.map((turn) => turnOfCall(ui, call, turn))}
        </ol>
      </section>
    `
  return isErased
    ? html`
      <p class="notice">The conversation was deleted because the contact was erased or the workspace's retention period ended.</p>
    `
    : null
}

const speakerLabels = { agent: 'Agent', contact: 'Contact', tool: 'Tool' }

function turnOfCall(ui: Ui, call: Call, { role, text, at }: Call['transcript'][number]): Html {
  const names = { agent: call.agent_name, contact: call.contact.first_name, tool: null }
  const speaker = names[role] || speakerLabels[role]
  const offset = formatOffset(at, call.answered_at)
  return html`
    <li data-role="${role}">
      <span class="turn-speaker">
        ${speaker}${
          offset === null
            ? null
            : html`
              <time datetime="${ui.iso(at)}">${offset}</time>`
        }
      </span>
      <p>${text}</p>
    </li>
  `
}

/** Formats the minutes and seconds since the call was answered. */
function formatOffset(at: string, answeredAt: string | null): string | null {
  if (answeredAt === null) return null
  const seconds = Math.max(0, Math.round((Date.parse(at) - Date.parse(answeredAt)) / secondMs))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
