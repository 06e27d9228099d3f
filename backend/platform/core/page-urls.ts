interface Site {
  /** The URL of the installation, without a trailing slash. */
  publicUrl: string
}

/** Returns the URL of a call's page in the dashboard. */
export const callPageUrl = ({ publicUrl }: Site, workspaceId: number, callId: number): string =>
  `${publicUrl}/w/${workspaceId}/calls/${callId}`

/** Returns the URL of the dashboard page that lists the calls to a number. */
export const callsToNumberUrl = ({ publicUrl }: Site, workspaceId: number, phoneNumber: string): string =>
  `${publicUrl}/w/${workspaceId}/calls?search=${encodeURIComponent(phoneNumber)}`

/** Returns the URL of the dashboard page that shows whether a number is on the do-not-call list, and why. */
export const doNotCallPageUrl = ({ publicUrl }: Site, workspaceId: number, phoneNumber: string): string =>
  `${publicUrl}/w/${workspaceId}/contacts/do-not-call?number=${encodeURIComponent(phoneNumber)}`

/** Returns the URL of a campaign's page in the dashboard. */
export const campaignPageUrl = ({ publicUrl }: Site, workspaceId: number, campaignId: number): string =>
  `${publicUrl}/w/${workspaceId}/campaigns/${campaignId}`
