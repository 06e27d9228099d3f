/** A name for a contact: its own, else its number, else that it was erased. */
export const formatContactName = (
  contact: { first_name: string | null; last_name: string | null },
  number: string,
): string => [contact.first_name, contact.last_name].filter(Boolean).join(' ') || number || 'Erased contact'
