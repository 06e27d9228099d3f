import { htmlToText } from 'html-to-text'
import { decodeText } from '../../../platform/core/decode-text.ts'
import { parseLimits } from './parse-limits.ts'

/** Elements whose content isn't part of the page's text. */
const skippedElements = [
  'title',
  'img',
  'svg',
  'template',
  'noscript',
  'iframe',
  'object',
  'select',
  'textarea',
  'button',
]

/** Returns the text of an HTML page as a person reads it: link text without URLs, no scripts, no styles. */
export function readHtml(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  const declaredEncoding = /<meta[^>]+charset\s*=[\s"']*([\w-]{1,40})/i.exec(start)?.[1]
  return htmlToText(decodeText(bytes, declaredEncoding), {
    wordwrap: false,
    limits: { maxInputLength: parseLimits.maxFileBytes, maxDepth: 200 },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
      ...skippedElements.map((selector) => ({ selector, format: 'skip' })),
    ],
  })
}
