import type { Badge } from '../../views/badges.ts'
import { badge, time } from '../../views/elements.ts'
import { button, confirm } from '../../views/forms.ts'
import { html } from '../../views/html.ts'
import { defineView } from '../page/define-page.ts'
import { type Member, type selectOpenInvitations } from './settings-queries.ts'
import { settingsTabs } from './settings-tabs.ts'

type OpenInvitation = Awaited<ReturnType<typeof selectOpenInvitations>>[number]

export interface MemberRow extends Member {
  badge: Badge
  isYou: boolean
  /** Changes the member to the other role. */
  roleChange: { role: 'owner' | 'member'; label: string; question: string; detail: string }
}

interface MembersData {
  members: MemberRow[]
  invitations: OpenInvitation[]
  /** True if the user is the only owner, who can't leave or become a member. */
  isLastOwner: boolean
}

export const membersView = defineView(
  ({ isOwner, ui, form, workspace }, { isLastOwner, members, invitations }: MembersData) => html`
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
            ${members.map(
              (member) => html`
                <tr>
                  <th scope="row">
                    ${member.name}${
                      member.isYou &&
                      html`
                        <span class="soft">(you)</span>`
                    }
                    <small>${member.email}</small><small>Member since ${ui.day(member.created_at)}</small>
                  </th>
                  <td>${badge(member.badge)}</td>
                  <td class="actions-cell"><div class="row">
                      ${
                        isOwner &&
                        !member.isYou &&
                        html`
                          ${confirm({
                            form,
                            id: `role-${member.user_id}`,
                            look: 'quiet',
                            action: ui.to(`/settings/members/${member.user_id}/role`),
                            fields: { role: member.roleChange.role },
                            label: member.roleChange.label,
                            question: member.roleChange.question,
                            detail: member.roleChange.detail,
                            confirm: 'Change role',
                          })}
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
                        member.isYou && !isLastOwner
                          ? confirm({
                              form,
                              id: 'leave',
                              action: ui.to('/settings/members/leave'),
                              label: 'Leave',
                              question: `Leave the workspace “${workspace.name}”?`,
                              detail:
                                'You lose access immediately. Your API keys, connected apps, and webhooks in this workspace are removed.',
                              confirm: 'Leave workspace',
                            })
                          : null
                      }
                    </div></td>
                </tr>
              `,
            )}
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
  `,
)
