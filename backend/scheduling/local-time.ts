/** A moment as a clock in that zone shows it, for example `Thursday, May 7, 2026 at 9:30 AM (America/New_York)`. */
export function formatLocalTime(at: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeStyle: 'short', timeZone })
  // ICU sets a narrow space before AM; agents read plain ones.
  return `${format.format(at).replaceAll('\u202f', ' ')} (${timeZone})`
}
