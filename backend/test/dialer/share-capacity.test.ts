import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { shareAmongCampaigns } from '../../calling/dialer/share-capacity.ts'

const claimable = fc
  .array(
    fc.record({
      workspaceId: fc.integer({ min: 1, max: 4 }),
      free: fc.integer({ min: 0, max: 100 }),
      due: fc.integer({ min: 0, max: 50 }),
    }),
    { maxLength: 12 },
  )
  .map((campaigns) => campaigns.map((campaign, index) => ({ id: index + 1, ...campaign })))

it('distributes all usable capacity, and gives no campaign more than it can use', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50 }), claimable, (capacity, campaigns) => {
      const shares = shareAmongCampaigns(capacity, campaigns)
      for (const { id, free, due } of campaigns)
        expect(shares.get(id) ?? 0).toBeLessThanOrEqual(Math.min(free, due))
      const wanted = campaigns.reduce((total, { free, due }) => total + Math.min(free, due), 0)
      expect([...shares.values()].reduce((total, take) => total + take, 0)).toBe(Math.min(capacity, wanted))
    }),
  )
})

it('if a workspace could use more calls, gives it at most one call fewer than any other workspace', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50 }), claimable, (capacity, campaigns) => {
      const shares = shareAmongCampaigns(capacity, campaigns)
      const of = (workspaceId: number) => campaigns.filter((campaign) => campaign.workspaceId === workspaceId)
      const taken = (id: number) =>
        of(id).reduce((total, campaign) => total + (shares.get(campaign.id) ?? 0), 0)
      const wanted = (id: number) => of(id).reduce((total, { free, due }) => total + Math.min(free, due), 0)
      for (const a of [1, 2, 3, 4])
        for (const b of [1, 2, 3, 4])
          if (taken(a) < wanted(a)) expect(taken(b) - taken(a)).toBeLessThanOrEqual(1)
    }),
  )
})
