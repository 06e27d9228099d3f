import files from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { assetsFolder, htmx } from './assets.ts'

/** Serves styles, scripts, and images. Browsers cache them for a year, because a new version has a new URL. */
export async function mountAssets(app: FastifyInstance): Promise<void> {
  app.get('/assets/htmx.js', (_request, reply) =>
    reply
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .type('text/javascript; charset=utf-8')
      .send(htmx),
  )
  await app.register(files, {
    root: assetsFolder,
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    maxAge: '365d',
    immutable: true,
  })
}
