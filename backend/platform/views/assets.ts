import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The folder served under `/assets/`. */
export const assetsFolder = resolvePath('assets')

/** The script that refreshes the live parts of pages. */
export const htmx: Buffer = readFileSync(fileURLToPath(import.meta.resolve('htmx.org/dist/htmx.min.js')))

const files = ['outdial.css', 'dashboard.css', 'reference.css', 'outdial.js', 'chat.js', 'icon.svg'] as const

const version = createHash('sha256')
  .update(Buffer.concat([...files.map((name) => readFileSync(resolvePath(`assets/${name}`))), htmx]))
  .digest('hex')
  .slice(0, 12)

/** Returns the URL of an asset. The URL changes with the assets' content, so that browsers can cache the assets. */
export const assetUrl = (name: (typeof files)[number] | 'htmx.js'): string => `/assets/${name}?v=${version}`
