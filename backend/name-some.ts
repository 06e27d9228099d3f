/** Names for a sentence: the first few of them, and how many more there are. */
export function formatNames(names: readonly string[], most = 5): string {
  const more = names.length - most
  return [...names.slice(0, most), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
