import { readFileSync } from 'node:fs'
import path from 'node:path'
import { inflateSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import type { PlainInputField } from 'zapier-platform-core'
import app from '../../index.ts'
import { readPage, root } from '../support/docs.ts'

// Zapier's reviewers also check these rules, in addition to those about the integration's definition.
interface Step {
  display: { label: string; hidden?: boolean }
  operation: { inputFields?: readonly (PlainInputField | ((...args: never[]) => unknown))[] }
}

const steps = [app.triggers, app.searches, app.creates]
  .flatMap((group) => Object.values(group) as Step[])
  .filter(({ display }) => !display.hidden)

/** Returns the value of a field in the table of docs/publishing/listing.md. */
function valueOf(field: string): string {
  const [, value = ''] =
    new RegExp(`^\\| ${field} +\\| (.+?) +\\|$`, 'm').exec(readPage('docs/publishing/listing.md')) ?? []
  return value
}

it('M002: describes Outdial in 40 to 140 characters, without a link and without mentioning Zapier', () => {
  const description = valueOf('Description')
  expect(description).toMatch(/^Outdial is an? .{25,120}\.$/)
  expect(description.length).toBeGreaterThanOrEqual(40)
  expect(description.length).toBeLessThanOrEqual(140)
  expect(description).not.toMatch(/zapier|https?:|www\.|\b(best|leading|easiest|powerful)\b/i)
})

it('M001, M006: names a category, a homepage, and where users get help', () => {
  expect(valueOf('Category')).toBe('Phone & SMS')
  for (const field of ['Homepage', 'API reference', 'Help for users', 'Support'])
    expect(valueOf(field)).not.toBe('')
})

/** Decodes a PNG file without interlacing (ISO/IEC 15948). */
function readPng(file: string) {
  const bytes = readFileSync(file)
  const chunks: Record<string, Buffer[]> = {}
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const type = bytes.toString('latin1', at + 4, at + 8)
    chunks[type] = [...(chunks[type] ?? []), bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at))]
  }
  const header = chunks.IHDR?.[0] ?? Buffer.alloc(13)
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [depth, colorType, , , interlacing] = header.subarray(8)
  const pixels = unfilter(inflateSync(Buffer.concat(chunks.IDAT ?? [])), width * 4, height)
  const alphaAt = (x: number, y: number) => pixels[(y * width + x) * 4 + 3]
  return { width, height, depth, colorType, interlacing, alphaAt }
}

/** Reverses the filter of each row (PNG, ISO/IEC 15948, section 9.2). */
function unfilter(data: Buffer, rowBytes: number, rows: number): Buffer {
  const out = Buffer.alloc(rowBytes * rows)
  for (let row = 0; row < rows; row += 1) {
    const start = row * (rowBytes + 1)
    for (let column = 0; column < rowBytes; column += 1) {
      const at = row * rowBytes + column
      const left = column < 4 ? 0 : (out[at - 4] ?? 0)
      const up = row === 0 ? 0 : (out[at - rowBytes] ?? 0)
      const corner = row === 0 || column < 4 ? 0 : (out[at - rowBytes - 4] ?? 0)
      const predictions = [0, left, up, (left + up) >> 1, paeth(left, up, corner)]
      out[at] = (data[start + 1 + column] ?? 0) + (predictions[data[start] ?? 0] ?? 0)
    }
  }
  return out
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner
  const [nearest = 0] = [left, up, corner].toSorted(
    (one, other) => Math.abs(estimate - one) - Math.abs(estimate - other),
  )
  return nearest
}

it('M004: the icon is square, at least 256 pixels wide, and has a transparent background', () => {
  const { alphaAt, ...icon } = readPng(path.join(root, 'docs/publishing/icon.png'))
  const rgbaColor = 6
  expect(icon).toEqual({ width: 512, height: 512, depth: 8, colorType: rgbaColor, interlacing: 0 })
  const last = icon.width - 1
  expect([alphaAt(0, 0), alphaAt(last, 0), alphaAt(0, last), alphaAt(last, last)]).toEqual([0, 0, 0, 0])
  expect(alphaAt(256, 0)).toBe(255)
  expect(alphaAt(256, 256)).toBe(255)
})

it('S002, T001: docs/publishing/live-zaps.md has a live Zap for every step', () => {
  const page = readPage('docs/publishing/live-zaps.md')
  const missing = steps.filter(({ display }) => !page.includes(`**${display.label}**`))
  expect(missing.map(({ display }) => display.label)).toEqual([])
})

describe('Zap templates', () => {
  const [, ...sections] = readPage('docs/publishing/templates.md').split(/^## \d+\. /m)
  const templates = sections.map((section) => {
    const [title = ''] = section.split('\n')
    return [title, section] as const
  })

  it('have different titles, and there are at least ten of them', () => {
    expect(templates.length).toBeGreaterThanOrEqual(10)
    expect(new Set(templates.map(([title]) => title)).size).toBe(templates.length)
  })

  it.each(templates)('have a title in the form that Zapier requires: %s', (title) => {
    expect(title).toMatch(/^(Add|Call|Cancel|Create|Log|Post|Queue) [^.]+$/)
    expect(title).toMatch(/\bOutdial\b/)
    expect(title).toMatch(/\bnew\b/)
    expect(title).not.toMatch(/\b(sync|automatic(ally)?|you|your|we|our|I|my)\b/i)
  })

  it.each(templates)('start with a trigger and map only fields that exist: %s', (_title, section) => {
    const lines = [...section.matchAll(/^\d+\. (.+)$/gm)].map(([, line = '']) => line)
    expect(lines.length).toBeGreaterThanOrEqual(2)
    const names = lines.flatMap((line) => /^Outdial · \*\*(.+?)\*\*/.exec(line)?.[1] ?? [])
    expect(names).toHaveLength(1)
    const used = steps.filter(({ display }) => names.includes(display.label))
    expect(used).toHaveLength(1)
    for (const { operation } of used) {
      const labels = operation.inputFields?.map((field) => (typeof field === 'function' ? '' : field.label))
      const mapped = [...section.matchAll(/^\| \*\*(.+?)\*\*/gm)].map(([, label]) => label)
      expect(mapped.filter((label) => !labels?.includes(label))).toEqual([])
    }
  })
})
