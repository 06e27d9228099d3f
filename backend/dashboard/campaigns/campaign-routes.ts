import type { Deps } from '../../deps.ts'
import { archiveCampaign } from '../../campaigns/campaign-status.ts'
import { pauseCampaign } from '../../campaigns/pause.ts'
import { resumeCampaign } from '../../campaigns/resume.ts'
import { act, type Line, none } from '../page/page-route.ts'
import { done } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'
import { campaignPage } from './campaign-pages.ts'
import { editPage, newPage } from './campaign-form-pages.ts'
import { listPage } from './list-page.ts'

const keyOf = (visit: Visit) => ({ workspaceId: visit.workspace.id, campaignId: visit.id })
const pageOf = (visit: Visit) => pathTo(visit, `/campaigns/${visit.id}`)

/** Who calls, from which number, when and how often. */
export const campaignLines = (deps: Deps): Line[] => [
  listPage(deps),
  newPage(deps),
  campaignPage(deps),
  editPage(deps),
  act({
    path: '/campaigns/:id/pause',
    form: none,
    act: async (own, visit) => {
      await pauseCampaign(own)(keyOf(visit))
      return done(pageOf(visit), 'The campaign is paused. Calls that wait are kept.')
    },
    back: pageOf,
  }),
  act({
    path: '/campaigns/:id/resume',
    form: none,
    act: async (own, visit) => {
      await resumeCampaign(own)(keyOf(visit))
      return done(pageOf(visit), 'The campaign calls again.')
    },
    back: pageOf,
  }),
  act({
    path: '/campaigns/:id/archive',
    form: none,
    act: async (own, visit) => {
      await archiveCampaign(own)(keyOf(visit))
      return done(pageOf(visit), 'The campaign is archived. Calls that waited are canceled.')
    },
    back: pageOf,
  }),
]
