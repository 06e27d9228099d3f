import { attributes, type Html, html, type Slot } from '../../platform/views/html.ts'
import type { Ui } from './page-model.ts'

interface SearchForm {
  /** The path of the list that is searched. */
  path: string
  /** The selector of the results, which the form replaces. */
  target: '#live' | '#results'
  /** The field to search in. */
  search: {
    label?: string
    value: string
    placeholder: string
    maxlength?: number
    autocomplete?: 'off'
    /** The class of the field's box. */
    look?: 'field' | 'field wide' | 'field question'
  }
  /** The label of the button that browsers without scripts show. */
  button: 'Search' | 'Show'
  /** A label that only screen readers read. */
  label?: string
  /** The events that start a search (`hx-trigger`). Default: typing, and changes. */
  trigger?: string
  swap?: 'outerMorph' | 'outerHTML'
}

/** Shows a form that searches a list while someone types. `more` contains the form's other fields. */
export function searchForm(ui: Ui, options: SearchForm, more: Slot = null): Html {
  const { path, target, search, button, label, swap = 'outerMorph' } = options
  const { look = 'field', maxlength = 200, autocomplete } = search
  const action = ui.to(path)
  const onTyping = {
    'hx-get': action,
    'hx-trigger': options.trigger ?? 'input changed delay:300ms, change',
    'hx-target': target,
    'hx-select': target,
    'hx-swap': swap,
    // A search also aborts a periodic refresh of the list that's in progress.
    'hx-sync': target === '#live' ? '#live:replace' : 'this:replace',
    'hx-replace-url': 'true',
  }
  const input = { maxlength, value: search.value, placeholder: search.placeholder, autocomplete }
  return html`
    <form class="filters" method="get" action="${action}" role="search"${attributes({ 'aria-label': label, ...onTyping })}>
      <div class="${look}">
        <label for="search">${search.label ?? 'Search'}</label>
        <input id="search" name="search" type="search"${attributes(input)}>
      </div>
      ${more}
      <noscript><button class="quiet">${button}</button></noscript>
    </form>
  `
}
