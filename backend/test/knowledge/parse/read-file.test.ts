import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
// cspell:ignore Grüße Привет
import { deflateSync } from 'node:zlib'
import { describe, expect, it, jest } from '@jest/globals'
import { readFile } from '../../../tools/knowledge/parse/read-file.ts'
import { parserCommand, runParser } from '../../../tools/knowledge/parse/run-parser.ts'
import {
  createDeflated,
  createDocx,
  createDocxWith,
  createPdf,
  createWordBody,
  createZip,
  createZlibDeflated,
  pdf,
  zipEntry,
} from '../../support/document-files.ts'

// Longer than the time limit for reading a file.
jest.setTimeout(60_000)

const read = async (name: string, content: string | Uint8Array) =>
  (await readFile(1, { name, bytes: Buffer.from(content), isTooLarge: false })).text

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()

/** Runs code in the sandbox of the process that reads files. */
async function runInSandbox(code: string) {
  const { command, flags, ids } = await parserCommand()
  return promisify(execFile)(command, [...flags, '--eval', code], { cwd: '/', ...ids })
}

const connectTo = (address: string) => `require('node:net').connect(${address})
  .on('connect', () => { console.log('connected'); process.exit() })
  .on('error', ({ code }) => console.log(code))`

/** Returns true if a program can create new namespaces of these kinds on this machine. */
const canUnshare = (...namespaces: string[]): Promise<boolean> =>
  promisify(execFile)('unshare', ['--map-root-user', ...namespaces, 'true']).then(
    () => true,
    () => false,
  )

describe('formats', () => {
  it.each([
    ['UTF-8', Buffer.from('Grüße 🏠')],
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFFGrüße 🏠')],
    ['UTF-16 with a byte order mark', Buffer.from('\uFEFFGrüße 🏠', 'utf16le')],
    ['UTF-16 without a byte order mark', Buffer.from('Grüße 🏠', 'utf16le')],
    ['big-endian UTF-16', utf16be('\uFEFFGrüße 🏠')],
  ])('reads text in %s', async (_, bytes) => {
    expect(await read('Note.txt', bytes)).toBe('Grüße 🏠')
  })

  it('reads text in Windows-1252', async () => {
    expect(await read('Note.txt', Buffer.from('Gr\xFC\xDFe, 30\x80', 'latin1'))).toBe('Grüße, 30€')
  })

  it('keeps the paragraphs of a text, and removes unnecessary whitespace', async () => {
    expect(await read('a.md', '\r\n# Roofs \t\r\n\r\n\r\n\r\nTen years.\r\n')).toBe('# Roofs\n\nTen years.')
  })

  it('extracts the visible text of HTML', async () => {
    const html = `<!doctype html><html><head><title>T</title><style>p{color:red}</style></head><body>
    <script>alert('x')</script><h1>Terms</h1><p>See <a href="https://example.com/x">our page</a> &amp; ask.</p>
    <noscript>n</noscript><template>t</template><img src="x" alt="a"><!-- c --><p>5 &lt; 6</p></body></html>`
    expect(await read('page.html', html)).toBe('Terms\n\nSee our page & ask.\n\n5 < 6')
  })

  it('reads HTML in the encoding that it declares', async () => {
    const html = '<meta charset="windows-1251"><p>\xCF\xF0\xE8\xE2\xE5\xF2'
    expect(await read('page.htm', Buffer.from(html, 'latin1'))).toBe('Привет')
  })

  it('reads the lines and paragraphs of a PDF', async () => {
    expect(await read('Roofs.pdf', createPdf('Every roof has a', 'warranty.', 30, 'Ask for it.'))).toBe(
      'Every roof has a\nwarranty.\n\nAsk for it.',
    )
  })

  it('reads the paragraphs of a Word document', async () => {
    expect(await read('Prices.docx', createDocx('Inspection', '149 &lt; 150 dollars'))).toBe(
      'Inspection\n\n149 < 150 dollars',
    )
  })

  it('detects a PDF by its content, whatever its name, and derives the title from the name', async () => {
    const file = { name: 'C:\\files\\Price_list 2027.docx', bytes: createPdf('Prices'), isTooLarge: false }
    expect(await readFile(1, file)).toEqual({ title: 'Price list 2027', text: 'Prices' })
  })
})

describe("files that can't be read", () => {
  it.each([
    ['no content', 'empty', 'a.txt', ''],
    ['only whitespace', 'no_text', 'a.txt', ' \n\t '],
    ['an image', 'wrong_type', 'a.png', '\x89PNG'],
    ['an image named .txt', 'no_plain_text', 'a.txt', Buffer.from([0x89, 0x50, 0, 1, 2, 0, 0, 3])],
    ['rich text', 'wrong_type', 'a.txt', '{\\rtf1 text}'],
    ['an old Word file', 'old_word', 'a.docx', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
    ['text named .pdf', 'broken', 'a.pdf', 'text'],
    ['the beginning of a PDF', 'broken', 'a.pdf', '%PDF-1.7\n1 0 obj'],
    ['the beginning of a Word document', 'broken', 'a.docx', createDocx('text').subarray(0, 200)],
    ['another archive', 'no_word', 'a.docx', createZip([zipEntry('xl/workbook.xml', '<a/>')])],
    ['invalid markup', 'broken', 'a.docx', createDocxWith(zipEntry('word/document.xml', '<w:document>'))],
    [
      'a Word document with a password on its archive',
      'encrypted',
      'a.docx',
      createDocxWith({ ...zipEntry('word/document.xml', createWordBody('')), isLocked: true }),
    ],
    ['a PDF with a password', 'encrypted', 'a.pdf', pdf(deflateSync('x'), { isLocked: true })],
    ['a PDF of images', 'no_text', 'a.pdf', pdf(deflateSync('0 0 m 9 9 l S'))],
    ['more text than a document may have', 'too_long', 'a.txt', 'roof '.repeat(40_001)],
  ])('rejects a file (%s) with the error code %s', async (_, code, name, content) => {
    await expect(read(name, content)).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'file', code }],
    })
  })

  it('rejects a file that is too large before reading it', async () => {
    const bytes = Buffer.from('%PDF-')
    await expect(readFile(1, { name: 'a.pdf', bytes, isTooLarge: true })).rejects.toMatchObject({
      details: [{ code: 'too_large' }],
    })
  })
})

describe('limits', () => {
  const gigabytes = 4 * 64 // blocks of 16 MiB

  it.each([
    [
      'a Word document',
      'a.docx',
      () => createDocxWith({ ...zipEntry('word/document.xml', ''), packed: createDeflated(gigabytes) }),
    ],
    [
      'a Word document that declares its size',
      'a.docx',
      () => createDocxWith({ name: 'word/document.xml', packed: createDeflated(1), size: 0xfffffff0 }),
    ],
    ['a PDF', 'a.pdf', () => pdf(createZlibDeflated(gigabytes))],
    [
      'a PDF that is compressed twice',
      'a.pdf',
      () => pdf(deflateSync(createZlibDeflated(gigabytes)), { filter: '[/FlateDecode /FlateDecode]' }),
    ],
  ])('stops reading %s that inflates to gigabytes', async (_, name, make) => {
    const before = process.memoryUsage.rss()
    // A slow machine reaches the time limit before the memory limit.
    await expect(read(name, make())).rejects.toMatchObject({
      details: [{ field: 'file', code: expect.stringMatching(/^too_(heavy|slow)$/) }],
    })
    expect(process.memoryUsage.rss() - before).toBeLessThan(300 * 1024 * 1024)
  })

  it('stops reading a Word document with huge markup at the memory limit, or at the time limit on a slow machine', async () => {
    const markup = '<w:p><w:r><w:t>a</w:t></w:r></w:p>'.repeat(400_000)
    const file = createDocxWith(zipEntry('word/document.xml', createWordBody(markup)))
    expect(file.length).toBeLessThan(200_000)
    await expect(read('a.docx', file)).rejects.toMatchObject({
      details: [{ code: expect.stringMatching(/^too_(heavy|slow)$/) as unknown }],
    })
  })

  it('stops reading a file at the time limit', async () => {
    const endless = Buffer.from('<b>'.repeat(6_000_000))
    await expect(runParser('html', endless, 1_000)).rejects.toMatchObject({ code: 'too_slow' })
  })

  it.each([
    ['read a file of the machine', "require('node:fs').readFileSync('/etc/passwd')"],
    ['write a file', "require('node:fs').writeFileSync('written.txt', '')"],
    ['start a program', "require('node:child_process').execFileSync('true')"],
  ])("doesn't let the process that reads files %s", async (_, code) => {
    await expect(runInSandbox(code)).rejects.toMatchObject({
      stderr: expect.stringContaining('ERR_ACCESS_DENIED'),
    })
  })

  it("if the machine allows a new network namespace, the process that reads files can't reach the network", async () => {
    const receiver = createServer()
    await once(receiver.listen(0, '127.0.0.1'), 'listening')
    const { port } = receiver.address() as AddressInfo
    const { stdout } = await runInSandbox(connectTo(`${port}, '127.0.0.1'`))
    receiver.close()
    const isAllowed = await canUnshare('--net')
    expect(stdout).toMatch(isAllowed ? /^(ENETUNREACH|ECONNREFUSED|EADDRNOTAVAIL)/ : /^connected/)
  })

  it("if the machine allows new namespaces, the process that reads files can't connect to Unix sockets", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'outdial-socket-'))
    const receiver = createServer()
    const file = path.join(folder, 'socket')
    await once(receiver.listen({ path: file, readableAll: true, writableAll: true }), 'listening')
    await chmod(folder, 0o755)
    const { stdout } = await runInSandbox(connectTo(JSON.stringify(file)))
    receiver.close()
    await rm(folder, { recursive: true })
    expect(stdout).toMatch(
      (await canUnshare('--mount', '--pid', '--net', '--fork')) ? /^ENOENT/ : /^connected/,
    )
  })

  it("if the process that reads files has its own namespace or user, it can't signal the service", async () => {
    const { stdout } = await runInSandbox(
      `try { process.kill(${process.pid}, 0); console.log('sent') } catch ({ code }) { console.log(code) }`,
    )
    // EPERM occurs if the service runs as root, because the sandbox then runs as another user.
    const isAllowed = (await canUnshare('--pid', '--fork')) || process.getuid?.() === 0
    expect(stdout).toMatch(isAllowed ? /^(ESRCH|EPERM)/ : /^sent/)
  })

  const asRoot = process.getuid?.() === 0 ? it : it.skip
  asRoot('runs the process that reads files as the user nobody if root runs the service', async () => {
    const { stdout } = await runInSandbox('console.log(process.getuid(), process.getgroups().join())')
    const { stdout: id } = await promisify(execFile)('id', ['-u', 'nobody'])
    expect(stdout).toMatch(new RegExp(`^${id.trim()} (?!0\\b)`))
  })

  it('reads a text file with millions of spaces in a row within the time limit', async () => {
    expect(await read('a.txt', `${' '.repeat(19_000_000)}roof`)).toBe('roof')
  })

  it("while three files of a workspace are being read, rejects a fourth, but reads a small text file and other workspaces' files", async () => {
    const page = { name: 'a.html', bytes: Buffer.from('<p>roof'), isTooLarge: false }
    let isPageDone = false
    const pages = [1, 2, 3].map(() => readFile(1, page).finally(() => (isPageDone = true)))
    await expect(readFile(1, page)).rejects.toMatchObject({ details: [{ code: 'busy' }] })
    const text = { name: 'a.txt', bytes: Buffer.from('roof'), isTooLarge: false }
    expect(await readFile(1, text)).toMatchObject({ text: 'roof' })
    expect(isPageDone).toBe(false)
    expect(await readFile(2, page)).toMatchObject({ text: 'roof' })
    await Promise.all(pages)
  })
})
