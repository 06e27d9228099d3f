import { oauthErrorTexts } from '@outdial/contract'
import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { unknownScopes } from './scopes.ts'

const { Check, base } = interactionPolicy

/** Adds checks to the library's policy. Every authorization asks for the workspace, because no earlier choice is remembered. */
export function createPolicy(): interactionPolicy.DefaultPolicy {
  const policy = base()
  policy.get('login')?.checks.add(scopesExist)
  policy.get('login')?.checks.add(stillMember)
  policy.get('consent')?.checks.add(workspaceChosen)
  return policy
}

const scopesExist = new Check('unknown_scope', 'an unknown scope was requested', (ctx) => {
  // Reads the scopes from the query, because the library has already removed unknown ones from its parameters.
  const unknown = unknownScopes(String(ctx.query.scope ?? ''))
  if (unknown.length > 0)
    throw new errors.InvalidScope(oauthErrorTexts.invalid_scope.meaning, unknown.join(' '))
  return Check.NO_NEED_TO_PROMPT
})

/** Denies access to users whom `findAccount` didn't find, because they're no longer members of the chosen workspace. */
const stillMember = new Check('no_member', "the user isn't a member of the workspace", ({ oidc }) => {
  if (oidc.session?.accountId && !oidc.account) throw new errors.AccessDenied(undefined, 'not a member')
  return Check.NO_NEED_TO_PROMPT
})

const workspaceChosen = new Check('no_workspace', oauthErrorTexts.interaction_required.meaning, (ctx) =>
  chosenGrantId(ctx) === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
)

/** Returns the grant that the consent page just created, never one of an earlier authorization. */
export const chosenGrantId = (ctx: KoaContextWithOIDC): string | undefined =>
  ctx.oidc.result?.consent?.grantId
