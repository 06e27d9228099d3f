import { describeField, type FormModel, issueText } from '../../platform/views/forms.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { type Parameter, parameterTypes } from './http-tool-parameters.ts'

interface ParameterRow {
  form: FormModel
  /** Prefix of the names of the row's fields, such as `param.1`. */
  name: string
  number: number
  parameter: Parameter
}

/** Asks for one argument of a tool. */
export const parameterRow = ({ form, name, number, parameter }: ParameterRow): Html => {
  const model = form.field(`${name}.name`, parameter.name, undefined, `Argument ${number}`)
  const { value: type } = form.field(`${name}.type`, parameter.type)
  const { value: about } = form.field(`${name}.about`, parameter.about)
  const { values: required } = form.field(`${name}.required`, String(parameter.isRequired))
  return html`
    <div class="parameter" role="group" aria-label="Argument ${number}">
      ${issueText(model)}
      <input
        id="${model.id}"
        name="${name}.name"
        value="${model.value}"
        aria-label="Name of argument ${number}"
        placeholder="Name"
        maxlength="64"
        class="code"
        autocomplete="off"
        spellcheck="false"${attributes({ autofocus: model.isFirstIssue, ...describeField(model) })}
      >
      <select name="${name}.type" aria-label="Type of argument ${number}">
        ${parameterTypes.map((choice) => html`<option value="${choice.value}"${attributes({ selected: choice.value === type })}>${choice.label}</option>`)}
      </select>
      <input
        name="${name}.about"
        value="${about}"
        aria-label="Description of argument ${number}"
        placeholder="Description"
        maxlength="500"
        autocomplete="off"
      >
      <label class="check"><input
          type="checkbox"
          name="${name}.required"
          value="true"${attributes({ checked: required.includes('true') })}
        ><span>Required</span></label>
    </div>
  `
}
