import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import { changePassword } from '../../accounts/identity/passwords.ts'
import { listSessions, revokeOtherSessions, revokeSession } from '../../accounts/identity/sessions.ts'
import { editUser } from '../../accounts/identity/users.ts'
import { createAttemptLimit } from '../../accounts/sign-in/attempt-limit.ts'
import type { Deps } from '../../deps.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { badge, time } from '../../platform/views/elements.ts'
import { button, confirm, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { defineAction, defineForm, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { formText } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'

type Sessions = Awaited<ReturnType<typeof listSessions>>

const accountView = defineView(
  ({ ui, form, user }, { sessions }: { sessions: Sessions }) => html`
    <div class="page-head">
      <div>
        <h1>Your account</h1>
        <p class="lead">Your name and sign-in details. They are the same in all of your workspaces.</p>
      </div>
      <a class="button quiet" href="${ui.to('/account/password')}">Change password</a>
    </div>
    ${pageForm(
      form,
      { class: 'panel stack form', 'aria-labelledby': 'you' },
      html`
        <h2 id="you">Profile</h2>
        ${formMessage(form)}
        ${field({
          form,
          name: 'name',
          label: 'Name',
          value: user.name,
          required: true,
          autocomplete: 'name',
          maxlength: 200,
          hint: 'Shown to other members.',
        })}
        ${field({
          form,
          name: 'email',
          label: 'Email',
          type: 'email',
          value: user.email,
          required: true,
          autocomplete: 'username',
          maxlength: 254,
          hint: 'You sign in with this email.',
        })}
        ${field({
          form,
          name: 'current_password',
          label: 'Current password',
          type: 'password',
          autocomplete: 'current-password',
          maxlength: 1024,
          hint: 'Only needed to change your email.',
        })}
        <div class="form-actions"><button class="primary">Save</button></div>
      `,
    )}
    <section class="panel flush" aria-labelledby="sessions">
      <div class="panel-head">
        <h2 id="sessions">Active sessions</h2>
        ${
          sessions.some(({ isCurrent }) => !isCurrent) &&
          confirm({
            form,
            id: 'end-others',
            action: ui.to('/account/sessions/end-others'),
            label: 'Sign out everywhere else',
            question: 'Sign out everywhere else?',
            detail: 'You stay signed in here. Connected apps and API keys keep working.',
            confirm: 'Sign out other sessions',
          })
        }
      </div>
      <div class="table-scroll" tabindex="0" role="group" aria-label="Active sessions">
        <table>
          <thead>
            <tr>
              <th scope="col">Browser</th>
              <th scope="col">Last seen</th>
              <th scope="col"><span class="visually-hidden">Actions</span></th>
            </tr>
          </thead>
          <tbody>
            ${sessions.map(
              (session) => html`
                <tr>
                  <th scope="row">${formatBrowser(session.userAgent)}<small>Signed in ${time(ui, session.since, 'phrase')}</small></th>
                  <td class="nowrap">${time(ui, session.lastSeenAt, 'ago')}</td>
                  <td class="actions-cell">
                    ${
                      session.isCurrent
                        ? badge({ tone: 'good', text: 'This session' })
                        : button({
                            form,
                            action: ui.to(`/account/sessions/${session.id}/end`),
                            label: 'End session',
                            title: `End session: ${formatBrowser(session.userAgent)}`,
                          })
                    }
                  </td>
                </tr>
              `,
            )}
          </tbody>
        </table>
      </div>
    </section>
  `,
)

const AccountForm = z.object({
  name: boundedText(200),
  email: boundedText(254),
  current_password: formText.default(''),
})

export const accountPage = (limitPasswordAttempts: PasswordAttemptLimit) =>
  defineForm({
    crossesWorkspaces: true,
    query: noInput,
    form: AccountForm,
    show: async (deps, { user, sessionHash }) => {
      const sessions = await listSessions(deps, user.userId, sessionHash)
      return accountView('Your account', { sessions })
    },
    submit: async (tx, context, { name, email, current_password: currentPassword }) => {
      const save = () => editUser(tx, context.user.userId, { name, email, currentPassword })
      await (email.trim() === context.user.email ? save() : limitPasswordAttempts(context.sessionHash, save))
      return redirectTo(pathTo(context, '/account'), 'Account saved.')
    },
  })

const accountPath = (context: Parameters<typeof pathTo>[0]) => pathTo(context, '/account')

export const endSessionAction = defineAction({
  crossesWorkspaces: true,
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    await revokeSession(tx, context.user.userId, context.params.id)
    return redirectTo(accountPath(context), 'Session ended.')
  },
  back: accountPath,
})

export const endOtherSessionsAction = defineAction({
  crossesWorkspaces: true,
  form: noInput,
  run: async (tx, context) => {
    await revokeOtherSessions(tx, context.user.userId, context.sessionHash)
    return redirectTo(accountPath(context), "You're now signed out everywhere else.")
  },
  back: accountPath,
})

const passwordView = defineView(
  ({ ui, form, user }) => html`
    <a class="crumb" href="${ui.to('/account')}">${icon('back')} Your account</a>
    <h1>Change password</h1>
    ${pageForm(
      form,
      { class: 'panel stack form' },
      html`
        ${formMessage(form)}
        <input type="text" name="username" value="${user.email}" autocomplete="username" hidden>
        ${field({
          form,
          name: 'current_password',
          label: 'Current password',
          type: 'password',
          required: true,
          autocomplete: 'current-password',
          maxlength: 1024,
        })}
        ${field({
          form,
          name: 'new_password',
          label: 'New password',
          type: 'password',
          required: true,
          autocomplete: 'new-password',
          minlength: 10,
          maxlength: 1024,
          hint: 'At least 10 characters, without your name or email. Several random words make a strong password.',
        })}
        <p class="hint">You stay signed in here and are signed out everywhere else. Connected apps and API keys keep working.</p>
        <div class="form-actions">
          <button class="primary">Change password</button>
          <a class="button quiet" href="${ui.to('/account')}">Cancel</a>
        </div>
      `,
    )}
  `,
)

const PasswordFields = z.object({ current_password: formText, new_password: formText })

export const passwordPage = (limitPasswordAttempts: PasswordAttemptLimit) =>
  defineForm({
    crossesWorkspaces: true,
    query: noInput,
    form: PasswordFields,
    show: () => Promise.resolve(passwordView('Change password', {})),
    submit: async (tx, context, input) => {
      const session = { userId: context.user.userId, sessionHash: context.sessionHash }
      const { current_password: currentPassword, new_password: newPassword } = input
      await limitPasswordAttempts(context.sessionHash, () =>
        changePassword(tx, session, { currentPassword, newPassword }),
      )
      const message = "Password changed. You're signed out everywhere else."
      return redirectTo(pathTo(context, '/account'), message)
    },
  })

/**
 * Limits wrong passwords on the account page, per session. So someone who finds an open session can't keep guessing, and the
 * user isn't locked out of other sessions.
 */
export function createPasswordAttemptLimit(deps: Pick<Deps, 'clock' | 'replicas'>) {
  const attempts = createAttemptLimit(deps, 'password_attempts')

  /** @throws {ApiError} rate_limited after ten failures within five minutes */
  return async <Result>(sessionHash: Buffer, work: () => Promise<Result>): Promise<Result> => {
    const key = sessionHash.toString('hex')
    if (!(await attempts.consume(key))) throw tooManyAttempts()
    const result = await work()
    await attempts.clear(key)
    return result
  }
}

type PasswordAttemptLimit = ReturnType<typeof createPasswordAttemptLimit>

const tooManyAttempts = () =>
  new FormError('rate_limited', 'Too many attempts. Wait five minutes, then try again.')

// Order matters: most user agents also contain the names of other browsers.
const browsers: [RegExp, string][] = [
  [/\bEdgA?(iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/.*Safari\//, 'Safari'],
]

const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

/** Formats a user agent as "Firefox on Windows". If the browser and the system are unknown, returns its first word. */
export function formatBrowser(userAgent: string): string {
  const find = (patterns: [RegExp, string][]) => patterns.find(([pattern]) => pattern.test(userAgent))?.[1]
  const browser = find(browsers)
  const system = find(systems)
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  if (system !== undefined) return `Browser on ${system}`
  const [first = ''] = userAgent.trim().split(/[\s/]/)
  return first === '' ? 'Unknown browser' : first.slice(0, 40)
}
