import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { getGoogleAccount } from '../../spreadsheets/get-google-account.ts'
import { saveGoogleAccount } from '../../spreadsheets/google-account.ts'
import { formRoute, noInput } from '../page/page-route.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo, requireOwner } from '../visit.ts'

const googleAccountView = template<{ googleEmail: string | null }>(
  'dashboard/spreadsheets/google-account-page',
)

export const googleAccountPage = (deps: Deps) =>
  formRoute({
    path: '/spreadsheets/google',
    query: noInput,
    form: z.object({ google_account: z.string().default('') }),
    show: async (context) => {
      requireOwner(context)
      const account = await getGoogleAccount(deps)(context.workspace.id)
      return googleAccountView('Google account', { googleEmail: account?.clientEmail ?? null })
    },
    submit: async (tx, context, { google_account: keyJson }) => {
      requireOwner(context)
      const { clientEmail } = await saveGoogleAccount(tx)(context.workspace.id, keyJson)
      return redirectTo(
        pathTo(context, '/spreadsheets'),
        `The Google account was saved. Share each spreadsheet with ${clientEmail} as an editor.`,
      )
    },
  })
