/** The latest moment that a call may be planned for: a year ahead. */
export function maxScheduledAt(now: Date): Date {
  const latest = new Date(now)
  latest.setUTCFullYear(now.getUTCFullYear() + 1)
  return latest
}
