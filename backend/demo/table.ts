import path from 'node:path'
import type { Config } from '../config.ts'
import type { DemoFile } from './file.ts'

/**
 * What a newcomer wants to know, for the terminal. Where the output goes elsewhere it is somebody's log, and
 * credentials are left out.
 */
export function demoTable(facts: {
  config: Config
  dataDir: string
  demo: DemoFile | undefined
  milliseconds: number
}): string {
  const { config, dataDir, demo, milliseconds } = facts
  const url = config.publicUrl
  const rows: Row[] = [
    ['Dashboard', `${url}/`],
    ['API', `${url}/api/public/v1/`],
    ['API reference', `${url}/docs`],
    ['Data', dataDir],
    ...(demo === undefined ? withoutDemo : demoRows(demo, dataDir)),
  ]
  const width = Math.max(...rows.map(([label]) => label?.length ?? 0))
  const lines = rows.map(([label, value]) =>
    label === undefined ? '' : `  ${dim(label.padEnd(width))}  ${value}`,
  )
  const title = `  ${bold('Outdial')} is ready ${dim(`(${(milliseconds / 1_000).toFixed(1)} s)`)}`
  const hint =
    demo === undefined ? '' : `  ${dim('Next: npm run demo, in a second terminal. Stop with Ctrl-C.')}\n`
  return `\n${title}\n\n${lines.join('\n')}\n\n${hint}`
}

type Row = [label: string, value: string] | [undefined]

const withoutDemo: Row[] = [
  [undefined],
  ['Demo', 'demo.json is gone: make credentials by npm run admin -- create-api-key'],
]

const demoRows = (demo: DemoFile, dataDir: string): Row[] => [
  [undefined],
  ...(process.stdout.isTTY
    ? credentialRows(demo)
    : [['Credentials', path.join(dataDir, 'demo.json')] as Row]),
  ['Campaign', `${demo.campaign_id}, open around the clock`],
  ['Agents', demo.agents.map(({ id, name, status }) => `${name} (${id}, ${status})`).join('; ')],
  [undefined],
  ['Numbers', '+1 202 555 0100 answers · 0101 no answer · 0102 busy · 0103 voicemail'],
  ['', '0104 declines · 0105 line fails · 0106 asks not to be called again'],
]

const credentialRows = (demo: DemoFile): Row[] => [
  ['Sign in', demo.email],
  ['Password', demo.password],
  ['API key', demo.api_key],
  ['Client ID', demo.client_id],
  ['Client secret', demo.client_secret],
  ['Runtime secret', demo.runtime_secret],
]

const styled = process.stdout.isTTY && !process.env.NO_COLOR
const bold = (text: string) => (styled ? `\u001b[1m${text}\u001b[22m` : text)
const dim = (text: string) => (styled ? `\u001b[2m${text}\u001b[22m` : text)
