/** Names of the IANA time zone database, for lists to choose from. */
export const timeZones: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')]
