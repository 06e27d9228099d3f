/** Names for a sentence: the first few of them, and how many more there are. */
export function formatNames(names: readonly string[], maxNames = 5): string {
  const more = names.length - maxNames
  return [...names.slice(0, maxNames), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
