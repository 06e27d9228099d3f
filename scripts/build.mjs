import { build } from 'esbuild'

// Bundles the connector in the current folder. It loads once per Zap run, and one file loads faster than twenty.
await build({
  entryPoints: ['index.ts'],
  outfile: 'dist/index.js',
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  // Zapier runs integrations on Node 22.
  target: 'node22',
  // Keeps names, so that stack traces can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
})
