/** Why the service cannot start, or a command cannot run, in a sentence for the person who started it. */
export class StartupError extends Error {
  override name = 'StartError'
}
