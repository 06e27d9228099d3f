/**
 * What PostgreSQL's programs are told of our environment: neither our secrets, nor PG… variables that would redirect
 * them. On macOS the postmaster dies without LC_ALL.
 */
export function postgresEnvironment(): Record<string, string> {
  const passed = ['PATH', 'SystemRoot', 'TEMP', 'TMP'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(passed), LC_ALL: 'C' }
}
