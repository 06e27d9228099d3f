import type { FastifyInstance } from 'fastify'
import plugin from 'fastify-plugin'

/**
 * Adds a part with hooks and parsers of its own, by the name that Fastify tells in errors. Without a name it looks for
 * the part's function among all modules that were ever loaded.
 */
export async function registerScope(
  app: FastifyInstance,
  name: string,
  mount: (scope: FastifyInstance) => void | Promise<void>,
  options: { prefix?: string } = {},
): Promise<void> {
  const scopePlugin = plugin(async (scope: FastifyInstance) => mount(scope), { name, encapsulate: true })
  await app.register(scopePlugin, options)
}
