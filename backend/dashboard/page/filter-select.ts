import { attributes, type Html, html } from '../../platform/views/html.ts'

export interface FilterOption {
  value: string
  label: string
}

export interface FilterSelect {
  name: string
  label: string
  /** Label of the option that doesn't filter, if `options` has none. */
  any?: string
  chosen: string | undefined
  options: readonly FilterOption[]
}

/** Shows a select that filters a list. */
export const filterSelect = ({ name, label, any, chosen, options }: FilterSelect): Html => html`
  <div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">
      ${any !== undefined && html`<option value="">${any}</option>`}
      ${options.map(
        (option) => html`
          <option value="${option.value}"${attributes({ selected: chosen === option.value })}>${option.label}</option>
        `,
      )}
    </select></div>
`
