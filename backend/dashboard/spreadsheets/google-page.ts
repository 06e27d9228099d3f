import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { getGoogleAccount } from '../../spreadsheets/get-google-account.ts'
import { saveGoogleAccount } from '../../spreadsheets/google-account.ts'
import { form, none } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo, requireOwner } from '../visit.ts'

const page = template<{ googleEmail: string | null }>('dashboard/spreadsheets/google-account-page')

export const googlePage = (deps: Deps) =>
  form({
    path: '/spreadsheets/google',
    query: none,
    form: z.object({ google_account: z.string().default('') }),
    show: async (visit) => {
      requireOwner(visit)
      const account = await getGoogleAccount(deps)(visit.workspace.id)
      return page('Google account', { googleEmail: account?.clientEmail ?? null })
    },
    submit: async (own, visit, { google_account: pasted }) => {
      requireOwner(visit)
      const { clientEmail } = await saveGoogleAccount(own)(visit.workspace.id, pasted)
      return done(
        pathTo(visit, '/spreadsheets'),
        `The Google account was saved. Share each spreadsheet with ${clientEmail} as an editor.`,
      )
    },
  })
