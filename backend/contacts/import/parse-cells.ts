/** Names that spreadsheets of North American companies use. Elsewhere, some of them mean another zone. */
const northAmericanZones: Record<string, string> = {
  eastern: 'America/New_York',
  et: 'America/New_York',
  est: 'America/New_York',
  edt: 'America/New_York',
  central: 'America/Chicago',
  ct: 'America/Chicago',
  cst: 'America/Chicago',
  cdt: 'America/Chicago',
  mountain: 'America/Denver',
  mt: 'America/Denver',
  mst: 'America/Denver',
  mdt: 'America/Denver',
  pacific: 'America/Los_Angeles',
  pt: 'America/Los_Angeles',
  pst: 'America/Los_Angeles',
  pdt: 'America/Los_Angeles',
  alaska: 'America/Anchorage',
  akst: 'America/Anchorage', // cspell:disable-line
  hawaii: 'Pacific/Honolulu',
  hst: 'Pacific/Honolulu',
}

/** Returns the IANA time zone of an alias such as "Pacific Time" in a US or Canadian workspace, or the cell itself. */
export function expandTimeZone(cell: string, country: string): string {
  if (country !== 'US' && country !== 'CA') return cell
  const name = cell
    .toLowerCase()
    .replace(/\b(us|standard|daylight|time|zone)\b/g, '')
    .replace(/[^a-z]/g, '')
  return northAmericanZones[name] ?? cell
}
