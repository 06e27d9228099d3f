import { expect, it } from '@jest/globals'
import { Linter } from 'eslint'
import tseslint from 'typescript-eslint'
import { htmlSlotsRule } from '../../scripts/html-slots-rule.ts'

const lint = (code: string) =>
  new Linter().verify(code, {
    languageOptions: { parser: tseslint.parser },
    plugins: { outdial: { rules: { 'html-slots': htmlSlotsRule } } },
    rules: { 'outdial/html-slots': 'error' },
  })

it.each([
  'html`<a href=${path}>Calls</a>`',
  'html`<a href= ${path}>Calls</a>`',
  'html`<a href=/calls/${id}>Calls</a>`',
  'html`<${name}>`',
  'html`</${name}>`',
  'html`<h${level}>Calls</h${level}>`',
  'html`<a ${name}="1">`',
  'html`<a data-${name}="1">`',
  'html`<input ${isRequired}>`',
  'html`<input ${isRequired && required}>`',
  'html`<button onclick="${code}">`',
  "html`<button ONCLICK='go(${id})'>`",
  'html`<p style="color: ${color}">`',
  'html`<iframe srcdoc="${markup}">`',
  'html`<script>const id = ${id}</script>`',
  'html`<STYLE>p { color: ${color} }</STYLE>`',
  'html`<!-- ${text} -->`',
  'html`<p>${text}</p><a href=${path}>`',
  'html`<script>for (i = 0; i < 3; i++) go(${id})</script>`',
  'html`<script>if (a<b>c) go(${id})</script>`',
  'html`<script>"</b>"; go(${id})</script>`',
  'html`<p x/onclick="${code}">`',
  'html`<a x = "1>2" href=${path}>`',
  'html`<!-- 1 > 0 "<a title=" --><img src=${path}>`',
  'html`<p hx-on:click="${code}">`',
  'html`<a href=`',
  'html`<a title="${text}`',
  'html`<p>${attributes({ title })}</p>`',
])("the lint rule rejects a slot where escaping the value isn't enough: %s", (code) => {
  expect(lint(code)).toContainEqual(expect.objectContaining({ messageId: 'unsafe' }))
})

it.each([
  'attributes({ onclick: code })',
  "attributes({ 'hx-on:click': code })",
  'attributes({ style })',
  'attributes({ [name]: text })',
])(
  'the lint rule rejects an attribute whose value is code or whose name is known only at run time: %s',
  (code) => {
    expect(lint(code)).toMatchObject([{ messageId: 'name' }])
  },
)

it('the lint rule rejects an import of the html tag under another name', () => {
  expect(lint("import { html as h } from '../views/html.ts'")).toMatchObject([{ messageId: 'alias' }])
})

it.each([
  'html`${text}`',
  'html`<p>${text}</p>`',
  'html`<p>1 < 2 ${text}</p>`',
  'html`<a href="${path}">${text}</a>`',
  "html`<a href='${path}' data-on='${text}'>`",
  'html`<a href="/calls/${id}?status=${status}">`',
  'html`<input${attributes({ required })}>`',
  'html`<input required${attributes({ value })} name="${name}">`',
  'html`<option value="${value}" ${attributes({ selected })}>${text}</option>`',
  'html`<script src="${path}"></script>${text}`',
  'html`<style>p { margin: 0 }</style>${text}`',
  'html`<!doctype html>${body}`',
  'html`<!-- 1 > 0 --><p>${text}</p>`',
  'html`<a href = "${path}">`',
  'html`<script>a < b</script><p>${text}</p>`',
  'html`<br/>${text}`',
  'css`p { color: ${color} }`',
])('the lint rule accepts slots in text and in quoted attributes, and attributes(…): %s', (code) => {
  expect(lint(code)).toEqual([])
})
