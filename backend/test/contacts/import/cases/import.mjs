/* eslint-disable no-console -- a program for a terminal */
// Uploads a file on Contacts > Import of a demo workspace, accepts the guessed columns, prints what the pages say and, with
// --import, imports it and prints the contacts: DEMO=<DATA_DIR>/demo.json node import.mjs FILE [--import] [HEADER=USE …]
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'

const demo = JSON.parse(readFileSync(process.env.DEMO ?? '.outdial/demo.json', 'utf8'))
const workspace = `/w/${demo.workspace_id}`
const cookies = new Map()

const [file, ...options] = process.argv.slice(2)
const choices = new Map(
  options.filter((option) => option.includes('=')).map((option) => option.split(/=(?=\w+$)/)),
)

const toUrl = (address) => new URL(address, demo.base_url)

function readCookies(response) {
  for (const cookie of response.headers.getSetCookie()) {
    const [name, ...value] = cookie.split(';', 1)[0].split('=')
    cookies.set(name, value.join('='))
  }
}

const cookieHeader = () => [...cookies].map((pair) => pair.join('=')).join('; ')

async function open(address) {
  const response = await fetch(toUrl(address), { headers: { cookie: cookieHeader() }, redirect: 'manual' })
  readCookies(response)
  const location = response.headers.get('location')
  return location === null ? response.text() : open(location)
}

/** Sends a form with its hidden fields, as `from` shows them. */
async function send(address, fields, from, body = new URLSearchParams()) {
  const html = await open(from)
  for (const name of ['_csrf', '_once'])
    body.set(name, new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '')
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  const response = await fetch(toUrl(address), {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { cookie: cookieHeader(), origin: toUrl('/').origin },
  })
  readCookies(response)
  const location = response.headers.get('location')
  if (location === null) throw new Error(toText(await response.text()))
  return location
}

const decode = (html) =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const toText = (html) =>
  decode(
    (/<main[^]*<\/main>/.exec(html)?.[0] ?? html)
      .replace(/<(?:script|style|svg|select)[^]*?<\/(?:script|style|svg|select)>/g, ' ')
      .replace(/<[^<>]*>/g, ' '),
  )
    .replace(/\s+/g, ' ')
    .trim()

async function waitUntilSettled(address) {
  for (;;) {
    const html = await open(address)
    if (!html.includes('hx-trigger="every 1s"')) return html
    await setTimeout(250)
  }
}

await send('/sign-in', { email: demo.email, password: demo.password }, '/sign-in')
const upload = new FormData()
upload.set('file', new Blob([readFileSync(file)]), path.basename(file))
const page = await send(`${workspace}/contacts/import`, {}, `${workspace}/contacts/import`, upload)
const mapping = await waitUntilSettled(page)
if (!mapping.includes('/columns"')) {
  console.log(toText(mapping))
  process.exit(1)
}
const uses = {}
for (const [, index, header, cells] of mapping.matchAll(
  /<th scope="row" id="column-(\d+)">([^]*?)<\/th>([^]*?)<\/tr>/g,
)) {
  const name = decode(header)
  const use = choices.get(name) ?? /<option value="([^"]*)" selected>/.exec(cells)?.[1] ?? ''
  uses[`use_${index}`] = use
  uses[`rank_${index}`] = /name="rank_\d+"[^]*?value="(\d+)"/.exec(cells)?.[1] ?? ''
  console.log(`${name} → ${use || '?'}`)
}
await send(`${page}/columns`, uses, page)
const checked = await waitUntilSettled(page)
console.log(toText(checked))
if (options.includes('--import') && checked.includes('/start"')) {
  await send(`${page}/start`, { campaign_id: '' }, page)
  console.log(toText(await waitUntilSettled(page)))
  const list = await open(`${workspace}/contacts`)
  for (const [row] of [...list.matchAll(/<tr[^]*?<\/tr>/g)].slice(1, 8)) console.log(toText(row))
}
