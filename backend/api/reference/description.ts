import { type Html, html } from '../../platform/views/html.ts'

/** Shows a description of the document: paragraphs, lists, code, and links in Markdown. */
export const description = (markdown: string): Html =>
  html`${markdown.split(/\n\n+/).map((block) => blockOf(block))}`

function blockOf(block: string): Html {
  const lines = block.split('\n')
  if (lines.every((line) => line.startsWith('- ')))
    return html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`
  if (lines.every((line) => /^\d+\. /.test(line)))
    return html`<ol>${lines.map((line) => html`<li>${inline(line.replace(/^\d+\. /, ''))}</li>`)}</ol>`
  return html`<p>${inline(block)}</p>`
}

/** Shows a text with code and links. */
export const inline = (markdown: string): Html =>
  html`${markdown.split(/(`[^`]+`|\[[^[\]]+\]\(https:[^)]+\))/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    const [, text, url] = /^\[([^[\]]+)\]\((https:[^)]+)\)$/.exec(part) ?? []
    return text === undefined || url === undefined ? part : html`<a href="${url}">${text}</a>`
  })}`
