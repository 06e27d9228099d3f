import type { Deps } from '../../deps.ts'
import { archiveCampaign } from '../../campaigns/campaign-status.ts'
import { pauseCampaign } from '../../campaigns/pause.ts'
import { resumeCampaign } from '../../campaigns/resume.ts'
import { actionRoute, type DashboardRoute, noInput } from '../page/page-route.ts'
import { redirectTo } from '../view.ts'
import { pathTo, type PageContext } from '../visit.ts'
import { campaignPage } from './campaign-pages.ts'
import { editCampaignPage, newCampaignPage } from './campaign-form-pages.ts'
import { campaignListPage } from './list-page.ts'

const campaignKey = (context: PageContext) => ({ workspaceId: context.workspace.id, campaignId: context.id })
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
      await pauseCampaign(tx)(campaignKey(context))
      return redirectTo(campaignPath(context), 'The campaign is paused. Calls that wait are kept.')
    },
    back: campaignPath,
  }),
  actionRoute({
    path: '/campaigns/:id/resume',
    form: noInput,
    run: async (tx, context) => {
      await resumeCampaign(tx)(campaignKey(context))
      return redirectTo(campaignPath(context), 'The campaign calls again.')
    },
    back: campaignPath,
  }),
  actionRoute({
    path: '/campaigns/:id/archive',
    form: noInput,
    run: async (tx, context) => {
      await archiveCampaign(tx)(campaignKey(context))
      return redirectTo(campaignPath(context), 'The campaign is archived. Calls that waited are canceled.')
    },
    back: campaignPath,
  }),
]
