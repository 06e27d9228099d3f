import type { Config } from '../../config.ts'
import { secondMs } from '../../platform/core/durations.ts'
import type { DemoFile } from './demo-file.ts'

/** Returns a summary for the terminal. The summary contains credentials, so it must never go to a log. */
export function formatReadyMessage(service: {
  config: Config
  dataDir: string | undefined
  demo: DemoFile | undefined
  milliseconds: number
}): string {
  const { config, dataDir, demo, milliseconds } = service
  const url = config.publicUrl
  const rows: Row[] = [
    ...(config.role === 'worker' ? [] : addressRows(url)),
    ...(config.role === 'all' ? [] : [['Role', config.role] as Row]),
    ...(config.telephony === 'simulated' ? [simulatedRow] : []),
    ...(dataDir === undefined ? [] : dataRows(dataDir, demo)),
  ]
  const width = Math.max(...rows.map(([label]) => label?.length ?? 0))
  const lines = rows.map(([label, value]) =>
    label === undefined ? '' : `  ${dim(label.padEnd(width))}  ${value}`,
  )
  const title = `  ${bold('Outdial')} is ready ${dim(`(${(milliseconds / secondMs).toFixed(1)} s)`)}`
  const hint =
    demo === undefined
      ? ''
      : `  ${dim('Next: sign in to the dashboard, or continue with README.md. Press Ctrl-C to stop.')}\n`
  return `\n${title}\n\n${lines.join('\n')}\n\n${hint}`
}

type Row = [label: string, value: string] | [undefined]

const addressRows = (url: string): Row[] => [
  ['Dashboard', `${url}/`],
  ['API', `${url}/api/public/v1/`],
  ['API reference', `${url}/docs`],
]

const simulatedRow: Row = [
  'Calls',
  'simulated, so no phone rings; real calls need an agent runtime (docs/reference/runtime.md)',
]

const dataRows = (dataDir: string, demo: DemoFile | undefined): Row[] => [
  ['Data', dataDir],
  [undefined],
  ...(demo === undefined ? missingDemoRows : demoRows(demo)),
]

const missingDemoRows: Row[] = [
  ['Demo', 'demo.json is missing. To get credentials, run npm run admin -- create-api-key'],
]

const demoRows = (demo: DemoFile): Row[] => [
  ...credentialRows(demo),
  ['Campaign', `${demo.campaign_id}, open around the clock`],
  ['Agents', demo.agents.map(({ id, name, status }) => `${name} (${id}, ${status})`).join('; ')],
  [undefined],
  ['Numbers', '+1 202 555 0100 answers · 0101 no answer · 0102 busy · 0103 voicemail'],
  ['', '0104 declines · 0105 fails · 0106 opts out'],
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
