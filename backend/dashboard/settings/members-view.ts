import type { Badge } from '../../platform/views/badges.ts'
import { badge, time } from '../../platform/views/elements.ts'
import { button, confirm } from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'
import { defineView } from '../page/define-page.ts'
import type { PageModel } from '../page/page-model.ts'
import { type Member, type selectOpenInvitations } from './settings-queries.ts'
import { settingsTabs } from './settings-tabs.ts'

type OpenInvitation = Awaited<ReturnType<typeof selectOpenInvitations>>[number]

interface MembersData {
  members: readonly Member[]
  invitations: readonly OpenInvitation[]
}

export const membersView = defineView(
  ({ isOwner, ui, form, user, workspace }, { members, invitations }: MembersData) => {
    const owners = members.filter(({ role }) => role === 'owner')
    // The only owner can't leave or become a member.
    const isLastOwner = owners.length === 1 && owners[0]?.user_id === user.userId
    return html`
      <div class="page-head">
        <h1>Settings</h1>
        ${isOwner && html`<a class="button primary" href="${ui.to('/settings/members/invite')}">Invite member</a>`}
      </div>
      ${settingsTabs({ ui, here: '/settings/members' })}
      <p class="lead">
        Members can use everything in this workspace except workspace settings and member management. Owners can also change
        settings, manage members, revoke other members' API keys, and disconnect other members' apps.
      </p>
      <section class="panel flush" aria-label="Members">
        <div class="table-scroll" tabindex="0" role="group" aria-label="Members">
          <table>
            <thead><tr><th scope="col">Name</th><th scope="col">Role</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
            <tbody>
              ${members.map((member) => {
                const isYou = member.user_id === user.userId
                return html`
                  <tr>
                    <th scope="row">
                      ${member.name}${
                        isYou &&
                        html`
                          <span class="soft">(you)</span>`
                      }
                      <small>${member.email}</small><small>Member since ${ui.day(member.created_at)}</small>
                    </th>
                    <td>${badge(roleBadges[member.role])}</td>
                    <td class="actions-cell"><div class="row">
                        ${
                          isOwner &&
                          !isYou &&
                          html`
                            ${roleButton({ ui, form }, member)}
                            <a
                              class="button quiet small"
                              href="${ui.to(`/settings/members/${member.user_id}/reset-password`)}"
                              aria-label="Reset password for ${member.name}"
                            >Reset password</a>
                            ${confirm({
                              form,
                              id: `remove-${member.user_id}`,
                              action: ui.to(`/settings/members/${member.user_id}/remove`),
                              label: 'Remove',
                              question: `Remove ${member.name}?`,
                              detail:
                                'They lose access immediately. Their API keys, connected apps, and webhooks in this workspace are removed, ' +
                                'so their Zaps stop working.',
                              confirm: 'Remove from workspace',
                            })}
                          `
                        }
                        ${
                          isYou &&
                          !isLastOwner &&
                          confirm({
                            form,
                            id: 'leave',
                            action: ui.to('/settings/members/leave'),
                            label: 'Leave',
                            question: `Leave the workspace “${workspace.name}”?`,
                            detail:
                              'You lose access immediately. Your API keys, connected apps, and webhooks in this workspace are removed.',
                            confirm: 'Leave workspace',
                          })
                        }
                      </div></td>
                  </tr>
                `
              })}
            </tbody>
          </table>
        </div>
      </section>
      ${
        isOwner &&
        html`
          <section class="panel flush" aria-labelledby="invitations">
            <div class="panel-head"><h2 id="invitations">Pending invitations</h2></div>
            ${
              invitations.length === 0
                ? html`
                  <div class="empty"><p>No pending invitations. To add a member, create an invitation link and send it.</p></div>
                `
                : html`
                  <div class="table-scroll" tabindex="0" role="group" aria-label="Pending invitations">
                    <table>
                      <thead>
                        <tr>
                          <th scope="col">Email</th>
                          <th scope="col">Role</th>
                          <th scope="col">Invited by</th>
                          <th scope="col">Expires</th>
                          <th scope="col"><span class="visually-hidden">Actions</span></th>
                        </tr>
                      </thead>
                      <tbody>
                        ${invitations.map(
                          (invitation) => html`
                            <tr>
                              <th scope="row">${invitation.email}</th>
                              <td>${ui.words(invitation.role)}</td>
                              <td>${invitation.invited_by_name ?? ''}</td>
                              <td class="nowrap">${time(ui, invitation.expires_at, 'ago')}</td>
                              <td class="actions-cell">
                                ${button({
                                  form,
                                  action: ui.to(`/settings/invitations/${invitation.id}/withdraw`),
                                  label: 'Withdraw',
                                  title: `Withdraw the invitation for ${invitation.email}`,
                                })}
                              </td>
                            </tr>
                          `,
                        )}
                      </tbody>
                    </table>
                  </div>
                `
            }
          </section>
        `
      }
    `
  },
)

const roleBadges: Record<Member['role'], Badge> = {
  owner: { tone: 'good', text: 'Owner' },
  member: { tone: 'mute', text: 'Member' },
}

/** Shows the button that changes a member to the other role. */
function roleButton({ ui, form }: Pick<PageModel, 'ui' | 'form'>, { user_id: id, name, role }: Member): Html {
  const common = {
    form,
    id: `role-${id}`,
    look: 'quiet',
    action: ui.to(`/settings/members/${id}/role`),
    confirm: 'Change role',
  } as const
  if (role === 'owner')
    return confirm({
      ...common,
      fields: { role: 'member' },
      label: 'Make member',
      question: `Make ${name} a member?`,
      detail: 'They can no longer change settings or manage members. Invitations they created are withdrawn.',
    })
  return confirm({
    ...common,
    fields: { role: 'owner' },
    label: 'Make owner',
    question: `Make ${name} an owner?`,
    detail: 'They can change settings and manage all members, including you.',
  })
}
