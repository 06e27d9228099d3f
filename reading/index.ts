// These functions read texts that people and other programs write in different ways. The connector, imports, and forms
// use them, so that each text means the same everywhere. This folder imports nothing, because the connector's upload
// includes it.

export * from './consent-kind.ts'
export * from './country.ts'
export * from './date-time.ts'
export * from './placeholder.ts'
export * from './time-zone.ts'
export * from './yes-no.ts'
