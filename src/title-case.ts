const acronyms: Record<string, string> = { id: 'ID', url: 'URL' }

/** A name of the API as a label: `contact.first_name` becomes "Contact First Name". */
export function titleCase(name: string): string {
  return name
    .split(/[._]+/)
    .map((word) => acronyms[word] ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}
