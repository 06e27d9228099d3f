interface Site {
  /** Without a trailing slash. */
  publicUrl: string
}

/** Returns the URL of a call's page in the dashboard. */
export const callPageUrl = ({ publicUrl }: Site, workspaceId: number, callId: number): string =>
  `${publicUrl}/w/${workspaceId}/calls/${callId}`

/** Returns the URL of a campaign's page in the dashboard. */
export const campaignPageUrl = ({ publicUrl }: Site, workspaceId: number, campaignId: number): string =>
  `${publicUrl}/w/${workspaceId}/campaigns/${campaignId}`
