import type { CallingHours, RetryPolicy, Weekday } from '@outdial/contract'

export const weekdays: { value: Weekday; label: string }[] = [
  { value: 'mon', label: 'Monday' },
  { value: 'tue', label: 'Tuesday' },
  { value: 'wed', label: 'Wednesday' },
  { value: 'thu', label: 'Thursday' },
  { value: 'fri', label: 'Friday' },
  { value: 'sat', label: 'Saturday' },
  { value: 'sun', label: 'Sunday' },
]

/** "Monday to Friday, 09:00 to 17:00". */
export function formatCallingHours({ days, start, end }: CallingHours): string {
  const time = `${start} to ${end}${start > end ? ' the next day' : ''}`
  if (days.length === 7) return `Every day, ${time}`
  const indexes = weekdays.flatMap(({ value }, index) => (days.includes(value) ? [index] : []))
  const first = indexes[0] ?? 0
  const last = indexes.at(-1) ?? first
  const isConsecutive = indexes.length > 2 && last - first === indexes.length - 1
  const names = indexes.map((index) => weekdays[index]?.label ?? '')
  return `${isConsecutive ? `${names[0]} to ${names.at(-1)}` : names.join(', ')}, ${time}`
}

/** "Up to 3 attempts, 60 minutes apart, after no answer or busy". */
export function formatRetryPolicy({ max_attempts, delay_minutes, on }: RetryPolicy): string {
  if (max_attempts === 1 || on.length === 0) return 'One attempt'
  const outcomes = on.map((outcome) => outcome.replaceAll('_', ' '))
  const interval = delay_minutes === 1 ? 'a minute' : `${delay_minutes} minutes`
  return `Up to ${max_attempts} attempts, ${interval} apart, after ${outcomes.join(' or ')}`
}
