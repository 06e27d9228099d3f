import { archiveCampaign, pauseCampaign, resumeCampaign } from '../../campaigns/campaign-status.ts'
import type { Deps } from '../../deps.ts'
import { type PageContext, pathTo } from '../page/page-context.ts'
import { actionRoute, type DashboardRoute, noInput, redirectTo } from '../page/page-route.ts'
import { editCampaignPage, newCampaignPage } from './campaign-form-pages.ts'
import { campaignListPage, campaignPage } from './campaign-pages.ts'

const campaignPath = (context: PageContext) => pathTo(context, `/campaigns/${context.id}`)

/** Who calls, from which number, when and how often. */
export const campaignRoutes = (deps: Deps): DashboardRoute[] => [
  campaignListPage(deps),
  newCampaignPage(deps),
  campaignPage(deps),
  editCampaignPage(deps),
  actionRoute({
    path: '/campaigns/:id/pause',
    form: noInput,
    run: async (tx, context) => {
      await pauseCampaign(tx, context.workspace.id, context.id)
      return redirectTo(campaignPath(context), 'The campaign is paused. Calls that wait are kept.')
    },
    back: campaignPath,
  }),
  actionRoute({
    path: '/campaigns/:id/resume',
    form: noInput,
    run: async (tx, context) => {
      await resumeCampaign(tx, context.workspace.id, context.id)
      return redirectTo(campaignPath(context), 'The campaign calls again.')
    },
    back: campaignPath,
  }),
  actionRoute({
    path: '/campaigns/:id/archive',
    form: noInput,
    run: async (tx, context) => {
      await archiveCampaign(tx, context.workspace.id, context.id)
      return redirectTo(campaignPath(context), 'The campaign is archived. Calls that waited are canceled.')
    },
    back: campaignPath,
  }),
]
