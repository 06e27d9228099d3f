import { readFileSync, writeFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { findChromium } from '../support/find-chromium.ts'

// Draws the integration's icon for Zapier from the dashboard's icon: a square PNG with a transparent background.
const size = 512
const logo = new URL('../backend/platform/views/assets/icon.svg', import.meta.url)
const icon = new URL('../docs/publishing/icon.png', import.meta.url)

const executablePath = findChromium()
if (executablePath === undefined) throw new Error('Install Chromium, and run this again.')
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const source = `data:image/svg+xml;base64,${readFileSync(logo).toString('base64')}`
  await page.setContent(
    `<body style="margin: 0"><img src="${source}" width="${size}" style="display: block">`,
  )
  writeFileSync(icon, await page.screenshot({ omitBackground: true }))
} finally {
  await browser.close()
}
