/** Why the service cannot start, or a command cannot run, in a sentence for the person who started it. */
export class StartError extends Error {
  override name = 'StartError'
}
