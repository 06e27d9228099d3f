import { build } from 'esbuild'

// Bundles the connector in the current folder. Every run of a Zap loads it, and a single file loads faster than twenty.
await build({
  entryPoints: ['index.ts'],
  outfile: 'dist/index.js',
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  // Zapier runs integrations with Node 22.
  target: 'node22',
  // Only whitespace and syntax are minified: names stay, so that stack traces are readable.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
})
