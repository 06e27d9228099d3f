import {
  type EndedReasonText,
  endedReasonTexts,
  nextInLineText,
  type WaitingForText,
  waitingForTexts,
} from '@outdial/contract'
import { fillPage, table } from './page-tables.ts'

export const callReasonsPage = new URL('../docs/reference/call-reasons.md', import.meta.url)

/** Returns docs/reference/call-reasons.md with the reasons why a call waits or ended. */
export function generateCallReasonsPage(): Promise<string> {
  const waiting = Object.entries<WaitingForText>({ ...waitingForTexts, null: nextInLineText }).map(
    ([value, { label, meaning, details = '', action }]) => [
      value === 'null' ? value : `\`${value}\``,
      label,
      `${meaning} ${details}`,
      action,
    ],
  )
  const ended = Object.entries<EndedReasonText>(endedReasonTexts).map(
    ([value, { outcome, meaning, details = '' }]) => [
      `\`${outcome}\``,
      `\`${value}\``,
      `${meaning} ${details}`,
    ],
  )
  return fillPage(callReasonsPage, {
    'Values of waiting_for': table(['`waiting_for`', 'In the dashboard', 'Meaning', 'What to do'], waiting),
    'Values of ended_reason': table(['`outcome`', '`ended_reason`', 'Meaning'], ended),
  })
}
