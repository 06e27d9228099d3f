import { field, type FormModel } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'

/** Asks for the name, email, and password of a new user. */
export const newUserFields = (form: FormModel, email?: string): Html => html`
  ${field({ form, name: 'name', label: 'Your name', required: true, autocomplete: 'name', maxlength: 200 })}
  ${field({
    form,
    name: 'email',
    label: 'Email',
    type: 'email',
    required: true,
    autocomplete: 'username',
    maxlength: 254,
    value: email,
    hint: "You'll sign in with this email.",
  })}
  ${field({
    form,
    name: 'password',
    label: 'Password',
    type: 'password',
    required: true,
    autocomplete: 'new-password',
    minlength: 10,
    maxlength: 1024,
    hint: 'At least 10 characters, without your name or email. Several random words make a strong password.',
  })}
`
