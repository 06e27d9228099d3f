import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import { removeMember } from '../../accounts/access/remove-member.ts'
import { createInvitation, withdrawInvitation } from '../../accounts/identity/invitations.ts'
import { changeRole } from '../../accounts/identity/members.ts'
import { createMemberResetLink } from '../../accounts/identity/password-resets.ts'
import type { Deps } from '../../deps.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { checks, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { defineAction, defineForm, definePage, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { IdParams, lockRights, pathTo, requireOwner } from '../page/page-context.ts'
import { membersView } from './members-view.ts'
import { type Member, selectMembers, selectOpenInvitations } from './settings-queries.ts'

export const membersPage = definePage({
  query: noInput,
  show: async (deps, { workspace }) =>
    membersView('Members', {
      members: await selectMembers(deps.db, workspace.id),
      invitations: await selectOpenInvitations(deps.db, workspace.id, deps.clock.now()),
    }),
})

const membersPath = (context: Parameters<typeof pathTo>[0]) => pathTo(context, '/settings/members')

export const changeRoleAction = defineAction({
  params: IdParams,
  form: z.object({ role: z.enum(['owner', 'member']) }),
  run: async (tx, context, { role }) => {
    await lockRights(tx, context, 'owner')
    await changeRole(tx, context.workspace.id, context.params.id, role)
    return redirectTo(
      membersPath(context),
      role === 'owner' ? 'Role changed to owner.' : 'Role changed to member.',
    )
  },
  back: membersPath,
})

export const removeMemberAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    await lockRights(tx, context, 'owner')
    await removeMember(tx, context.workspace.id, context.params.id)
    return redirectTo(
      membersPath(context),
      'Member removed. Their API keys, connected apps, and webhooks in this workspace were removed too.',
    )
  },
  back: membersPath,
})

export const leaveWorkspaceAction = defineAction({
  form: noInput,
  run: async (tx, context) => {
    await removeMember(tx, context.workspace.id, context.user.userId)
    return redirectTo('/', `You have left ${context.workspace.name}.`)
  },
  back: membersPath,
})

export const withdrawInvitationAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    await lockRights(tx, context, 'owner')
    await withdrawInvitation(tx, context.workspace.id, context.params.id)
    return redirectTo(membersPath(context), 'Invitation withdrawn. Its link no longer works.')
  },
  back: membersPath,
})

const inviteMemberView = defineView(
  ({ ui, form }) => html`
    <a class="crumb" href="${ui.to('/settings/members')}">${icon('back')} Members</a>
    <h1>Invite member</h1>
    <p class="lead">Create a single-use link, valid for 7 days, and send it to the new member.</p>
    ${pageForm(
      form,
      { class: 'panel stack form' },
      html`
        ${formMessage(form)}
        ${field({
          form,
          name: 'email',
          label: 'Email',
          type: 'email',
          required: true,
          maxlength: 254,
          autocomplete: 'off',
          hint: "The email of the person you're inviting. Outdial doesn't send email, so you send the link yourself.",
        })}
        ${checks({
          form,
          name: 'role',
          label: 'Role',
          type: 'radio',
          values: ['member'],
          options: [
            {
              value: 'member',
              label: 'Member',
              hint: 'Can use everything except workspace settings and member management.',
            },
            {
              value: 'owner',
              label: 'Owner',
              hint: 'Can also change settings and manage all members, including you.',
            },
          ],
        })}
        <div class="form-actions">
          <button class="primary">Create link</button>
          <a class="button quiet" href="${ui.to('/settings/members')}">Cancel</a>
        </div>
      `,
    )}
  `,
)

const resetPasswordView = defineView(
  ({ ui, form }, { member }: { member: Member }) => html`
    <a class="crumb" href="${ui.to('/settings/members')}">${icon('back')} Members</a>
    <h1>Reset password for ${member.name}</h1>
    ${pageForm(
      form,
      { class: 'panel stack form' },
      html`
        ${formMessage(form)}
        <p>
          Create a single-use link, valid for 24 hours, and send it to <strong>${member.email}</strong>. When they
          set a new password, they're signed out everywhere else.
        </p>
        <p class="hint">You must own every workspace that this person is a member of. Their current password works until they set a new one.</p>
        <div class="form-actions">
          <button class="primary">Create link</button>
          <a class="button quiet" href="${ui.to('/settings/members')}">Cancel</a>
        </div>
      `,
    )}
  `,
)

/** Shows a link once, because only its hash is stored. */
interface OneTimeLinkData {
  heading: string
  lead: string
  link: string
  warning: string
  expiresAt: Date
}

const oneTimeLinkView = defineView(
  ({ ui }, { heading, lead, link, warning, expiresAt }: OneTimeLinkData) => html`
    <a class="crumb" href="${ui.to('/settings/members')}">${icon('back')} Members</a>
    <h1>${heading}</h1>
    <section class="panel form" aria-label="Link">
      <p>${lead}</p>
      <pre id="link">${link}</pre>
      <div class="row"><button type="button" class="quiet small" data-copy="link">Copy link</button></div>
      <p class="hint">${warning} It expires ${ui.ago(expiresAt)}.</p>
      <div class="form-actions"><a class="button primary" href="${ui.to('/settings/members')}">Done</a></div>
    </section>
  `,
)

const InvitationFields = z.object({ email: boundedText(254), role: z.enum(['owner', 'member']) })

export const inviteMemberPage = defineForm({
  query: noInput,
  form: InvitationFields,
  show: async (_, context) => {
    requireOwner(context)
    return inviteMemberView('Invite member', {})
  },
  submit: async (tx, context, { email: enteredEmail, role }) => {
    await lockRights(tx, context, 'owner')
    const { workspace, user } = context
    const { email, link, expiresAt } = await createInvitation(tx, workspace.id, user.userId, {
      email: enteredEmail,
      role,
    })
    return oneTimeLinkView('Invitation link', {
      heading: 'Invitation link created',
      lead: `Send this link to ${email}. It won't be shown again.`,
      link,
      warning: `The first person to use this link becomes ${role === 'owner' ? 'an owner' : 'a member'} of ${workspace.name}. Don't share it with anyone else.`,
      expiresAt,
    })
  },
})

export const resetMemberPasswordPage = defineForm({
  crossesWorkspaces: true,
  params: IdParams,
  query: noInput,
  form: noInput,
  show: async (deps, context) => {
    requireOwner(context)
    const member = await findMember(deps, context.workspace.id, context.params.id)
    return resetPasswordView(`Reset password for ${member.name}`, { member })
  },
  submit: async (tx, context) => {
    await lockRights(tx, context, 'owner')
    const { workspace, user, params } = context
    const { name, email } = await findMember(tx, workspace.id, params.id)
    const { link, expiresAt } = await createMemberResetLink(tx, workspace.id, params.id, user.userId)
    return oneTimeLinkView('Password reset link', {
      heading: 'Password reset link created',
      lead: `Send this link to ${name} (${email}). It won't be shown again.`,
      link,
      warning: `The first person to use this link can sign in as ${name}. Don't share it with anyone else.`,
      expiresAt,
    })
  },
})

async function findMember({ db }: Pick<Deps, 'db'>, workspaceId: number, userId: number) {
  const member = (await selectMembers(db, workspaceId)).find((one) => one.user_id === userId)
  if (member === undefined) throw new FormError('not_found', "This user isn't a member of this workspace.")
  return member
}
