/** A campaign that could be claimed from. */
interface ClaimableCampaign {
  id: number
  workspaceId: number
  /** Calls that its own limit still lets out. */
  free: number
  /** Calls that are due, counted no further than the room. */
  due: number
}

/**
 * Deals the room out one by one, first over the workspaces and within each over its campaigns, so that
 * nobody's backlog keeps another's calls waiting. Those that stand first get what cannot be divided.
 *
 * @returns how many calls to take, by campaign; campaigns that get none are left out
 */
export function shareCapacity(
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
