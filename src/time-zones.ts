/** The IANA time zones, for dropdowns. A zone that is mapped from another step may be any that the API knows. */
export const timeZones: string[] = Intl.supportedValuesOf('timeZone')
