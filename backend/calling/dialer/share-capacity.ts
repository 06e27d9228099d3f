/** A campaign whose calls can be claimed. */
interface ClaimableCampaign {
  id: number
  workspaceId: number
  /** How many more calls the campaign's limit allows. */
  free: number
  /** How many calls are due: at most the dialer's capacity, and at most `free`. */
  due: number
}

/**
 * Distributes the capacity one call at a time, first among workspaces and then among the campaigns of each workspace,
 * so one workspace's backlog doesn't delay another's calls. The first workspaces and campaigns get any remainder.
 *
 * @returns how many calls to take, by campaign ID; campaigns that get none are left out
 */
export function shareAmongCampaigns(
  capacity: number,
  campaigns: readonly ClaimableCampaign[],
): Map<number, number> {
  const shares = new Map<number, number>()
  const canTakeMore = (campaign: ClaimableCampaign) =>
    (shares.get(campaign.id) ?? 0) < Math.min(campaign.free, campaign.due)
  let queues = [...Map.groupBy(campaigns, (campaign) => campaign.workspaceId).values()]
  let remaining = capacity
  while (remaining > 0) {
    queues = queues.map((queue) => queue.filter(canTakeMore)).filter((queue) => queue.length > 0)
    if (queues.length === 0) break
    for (const queue of queues.slice(0, remaining)) {
      const campaign = queue.shift()
      if (campaign === undefined) continue
      shares.set(campaign.id, (shares.get(campaign.id) ?? 0) + 1)
      queue.push(campaign)
      remaining -= 1
    }
  }
  return shares
}
