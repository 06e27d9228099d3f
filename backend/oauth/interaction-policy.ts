import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { unknownScopes } from './scopes.ts'

const { Check, base } = interactionPolicy

/** The library's checks, and ours: an authorization always asks which workspace, and never remembers one. */
export function createPolicy(): interactionPolicy.DefaultPolicy {
  const policy = base()
  policy.get('login')?.checks.add(scopesExist)
  policy.get('login')?.checks.add(stillMember)
  policy.get('consent')?.checks.add(workspaceChosen)
  return policy
}

const scopesExist = new Check('unknown_scope', 'an unknown scope was requested', (ctx) => {
  // Of the query, as the library's own parameters have lost unknown scopes by now.
  const unknown = unknownScopes(String(ctx.query.scope ?? ''))
  if (unknown.length > 0) throw new errors.InvalidScope('there is no such scope', unknown.join(' '))
  return Check.NO_NEED_TO_PROMPT
})

/** `findAccount` rejects users who are no longer members of the chosen workspace. */
const stillMember = new Check('no_member', 'the user is no member of the workspace', ({ oidc }) => {
  if (oidc.session?.accountId && !oidc.account) throw new errors.AccessDenied(undefined, 'not a member')
  return Check.NO_NEED_TO_PROMPT
})

const workspaceChosen = new Check('no_workspace', 'a workspace must be chosen', (ctx) =>
  chosenGrantId(ctx) === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
)

/** The grant that the consent page has just made. Never one of an earlier authorization. */
export const chosenGrantId = (ctx: KoaContextWithOIDC): string | undefined =>
  ctx.oidc.result?.consent?.grantId
