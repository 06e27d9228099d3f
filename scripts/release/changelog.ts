const heading = '## Unreleased\n'

/**
 * Returns the changelog after moving the entries below "Unreleased" to a new section for the version.
 *
 * @param date - as YYYY-MM-DD
 * @returns undefined if there are no unreleased entries
 */
export function releaseChangelog(changelog: string, version: string, date: string): string | undefined {
  const start = changelog.indexOf(`\n${heading}`)
  if (start < 0) return undefined
  const before = changelog.slice(0, start + 1)
  const after = changelog.slice(start + 1 + heading.length)
  const end = after.search(/^## /m)
  const entries = (end < 0 ? after : after.slice(0, end)).trim()
  if (entries === '') return undefined
  const older = end < 0 ? '' : `\n${after.slice(end)}`
  return `${before}${heading}\n## ${version} (${date})\n\n${entries}\n${older}`
}
