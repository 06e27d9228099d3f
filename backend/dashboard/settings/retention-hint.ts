import { html } from '../../platform/views/html.ts'

export const retentionHint = html`
  <p class="hint">
    Once an hour, Outdial <strong>permanently deletes</strong> the conversations of calls that ended more than this
    many days ago, including calls that ended before you saved the setting. For each call, it deletes the transcript,
    summary, extracted values, recording URL, tool arguments and results, the agent runtime's reports, and the copies of
    these in stored webhook events.
  </p>
  <p class="hint">
    Outdial <strong>doesn't delete</strong> the rest of the call (contact, times, duration, outcome, sentiment, goal met,
    and metadata), contacts, notes, or spreadsheet rows. Apps keep the data that they received.
  </p>
`
