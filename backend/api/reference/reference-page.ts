import { assetUrl } from '../../platform/views/assets.ts'
import { copyable, mark } from '../../platform/views/elements.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { description, inline } from './description.ts'
import type { Body, Operation, Reference } from './read-document.ts'
import type { Field } from './read-fields.ts'

/** Shows the API reference: operations, fields, errors, and examples. */
export const referencePage = (reference: Reference, documentUrl: string): Html => html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>${reference.title} · Outdial</title>
      <link rel="stylesheet" href="${assetUrl('outdial.css')}">
      <link rel="stylesheet" href="${assetUrl('dashboard.css')}">
      <link rel="stylesheet" href="${assetUrl('reference.css')}">
      <link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml">
      <script src="${assetUrl('outdial.js')}" defer></script>
    </head>
    <body class="reference">
      <a class="skip" href="#main">Skip to content</a>
      <header class="bar"><a class="brand" href="/docs">${mark} <span>Outdial</span></a></header>
      ${contents(reference)}
      <main id="main" tabindex="-1">
        ${introduction(reference, documentUrl)}
        ${reference.groups.map(
          ({ name, description: about, operations }) => html`
            <section aria-labelledby="${anchorOf(name)}">
              <h2 id="${anchorOf(name)}">${name}</h2>
              <p>${inline(about)}.</p>
              ${operations.map((operation) => operationPart(operation))}
            </section>`,
        )}
        <section aria-labelledby="objects">
          <h2 id="objects">Objects</h2>
          ${reference.objects.map(
            ({ name, fields }) => html`
              <article class="panel" aria-labelledby="${objectAnchorOf(name)}">
                <h3 id="${objectAnchorOf(name)}">${name}</h3>
                ${fieldTable(fields, { label: `Fields of ${name}`, isInput: false })}
              </article>`,
          )}
        </section>
      </main>
    </body>
  </html>
`

const anchorOf = (name: string): string => name.toLowerCase().replaceAll(' ', '-')

const objectAnchorOf = (name: string): string => `object-${name}`

const contents = ({ groups, objects }: Reference): Html => html`
  <nav class="contents" aria-label="Contents">
    <ul>
      <li><a href="#introduction">Introduction</a></li>
      ${groups.map(
        ({ name, operations }) => html`
          <li>
            <a href="#${anchorOf(name)}">${name}</a>
            <ul>
              ${operations.map(({ id, summary }) => html`<li><a href="#${id}">${summary}</a></li>`)}
            </ul>
          </li>`,
      )}
      <li>
        <a href="#objects">Objects</a>
        <ul>
          ${objects.map(({ name }) => html`<li><a href="#${objectAnchorOf(name)}">${name}</a></li>`)}
        </ul>
      </li>
    </ul>
  </nav>
`

const introduction = (
  { title, version, description: about, baseUrl, credentials, scopes }: Reference,
  documentUrl: string,
): Html => html`
  <section aria-labelledby="introduction">
    <h1 id="introduction">${title} <small>version ${version}</small></h1>
    ${description(about)}
    <div class="panel">
      <h2>Base URL</h2>
      ${copyable({ id: 'base-url', value: baseUrl, label: 'Copy base URL' })}
      <p class="note">This page shows the <a href="${documentUrl}">OpenAPI 3.1 document</a>.</p>
    </div>
    <div class="panel">
      <h2 id="credentials">Credentials</h2>
      <p>Send one with each request, in the header <code>Authorization: Bearer …</code>.</p>
      <dl class="credentials">
        ${credentials.map(({ name, description: text }) => html`<dt>${name}</dt><dd>${inline(text)}</dd>`)}
      </dl>
      ${table(
        'Scopes of OAuth',
        ['Scope', 'What it allows'],
        [...scopes.map(({ name, description: text }) => [html`<code>${name}</code>`, text])],
      )}
    </div>
  </section>
`

const operationPart = (operation: Operation): Html => {
  const { id, method, path, summary, description: about, purpose, scopes, parameters } = operation
  const isWebhook = !path.startsWith('/')
  return html`
    <article class="panel" aria-labelledby="${id}">
      <h3 id="${id}">${summary}</h3>
      <p class="request">
        <span class="method">${isWebhook ? 'Event' : method}</span> <code>${path}</code>
      </p>
      ${description(about)}
      ${purpose !== '' && html`<p class="note">What it's for: ${purpose}</p>`}
      ${
        scopes.length > 0 &&
        html`<p class="note">Scopes: ${scopes.map((scope) => html`<code>${scope}</code> `)}</p>`
      }
      ${
        parameters.length > 0 &&
        html`<h4>${isWebhook ? 'Headers' : 'Parameters'}</h4>
          ${table(
            `Parameters of ${summary}`,
            ['Name', 'In', 'Type', 'Description'],
            parameters.map((parameter) => [
              fieldName(parameter, true),
              parameter.place,
              fieldType(parameter),
              fieldDescription(parameter),
            ]),
          )}`
      }
      ${operation.body !== null && bodyPart(operation.body, { title: isWebhook ? 'Event' : 'Request body', summary, isInput: !isWebhook })}
      ${operation.examples.length > 0 && html`<h4>Example request</h4>${codeChoices(operation)}`}
      ${operation.responses.map(({ status, description: text, body }, index) => {
        const same = operation.responses.slice(0, index).find((other) => haveSameFields(other.body, body))
        return html`
          <h4>Response <code>${status}</code>: ${inline(text)}</h4>
          ${same !== undefined && html`<p>Has the same fields as <code>${same.status}</code>.</p>`}
          ${
            body !== null &&
            bodyPart(same === undefined ? body : { ...body, object: null, fields: [] }, {
              title: `Response ${status}`,
              summary,
              isInput: false,
              isTitled: true,
            })
          }`
      })}
      ${
        operation.errors.length > 0 &&
        html`<details>
          <summary>Errors</summary>
          ${table(
            `Errors of ${summary}`,
            ['Status', 'Code', 'Meaning'],
            operation.errors.map(({ status, code, meaning }) => [
              status,
              html`<code>${code}</code>`,
              inline(meaning),
            ]),
          )}
        </details>`
      }
    </article>`
}

const haveSameFields = (one: Body | null, other: Body | null): boolean =>
  one !== null && other !== null && JSON.stringify(one.fields) === JSON.stringify(other.fields)

/** Shows an example in each language, of which one is open at a time. */
const codeChoices = ({ id, summary, examples }: Operation): Html => html`
  <div class="choices-of-code">
    ${examples.map(
      ({ language, code }, index) => html`
        <details name="code-${id}"${attributes({ open: index === 0 })}>
          <summary>${language}</summary>
          ${codeBlock(code, `${summary} in ${language}`)}
        </details>`,
    )}
  </div>
`

const codeBlock = (code: string, label: string): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}">${code}</pre>`

function bodyPart(
  { object, fields, example }: Body,
  {
    title,
    summary,
    isInput,
    isTitled = false,
  }: { title: string; summary: string; isInput: boolean; isTitled?: boolean },
): Html {
  return html`
    ${!isTitled && html`<h4>${title}</h4>`}
    ${object !== null && html`<p>${objectLink(object, object)}</p>`}
    ${fields.length > 0 && fieldTable(fields, { label: `${title} of ${summary}`, isInput })}
    <details>
      <summary>Example</summary>
      ${codeBlock(example, `Example of ${title}, ${summary}`)}
    </details>
  `
}

const objectLink = (name: string, text: string): Html => html`<a href="#${objectAnchorOf(name)}">${text}</a>`

const fieldTable = (
  fields: readonly Field[],
  { label, isInput }: { label: string; isInput: boolean },
): Html =>
  table(
    label,
    ['Field', 'Type', 'Description'],
    fields.map((field) => [fieldName(field, isInput), fieldType(field), fieldDescription(field)]),
  )

/** @param isInput true where a client decides whether it sends the field */
const fieldName = ({ name, isRequired }: Field, isInput: boolean): Html =>
  html`<code>${name}</code>${isInput && isRequired && html` <small>required</small>`}`

const fieldType = ({ type, object }: Field): Html =>
  object === null ? html`${type}` : objectLink(object, type)

const fieldDescription = ({ description: text, values, limits }: Field): Html => html`
  ${text !== '' && description(text)}
  ${values.length > 0 && html`<p class="note">${values.map((value) => html`<code>${value}</code> `)}</p>`}
  ${limits !== '' && html`<p class="note">${limits}</p>`}
`

const table = (
  label: string,
  heads: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
): Html => html`
  <div class="table-scroll" tabindex="0" role="group" aria-label="${label}">
    <table>
      <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
      <tbody>
        ${rows.map(
          ([first = '', ...others]) =>
            html`<tr><th scope="row">${first}</th>${others.map((cell) => html`<td>${cell}</td>`)}</tr>`,
        )}
      </tbody>
    </table>
  </div>
`
