interface NavigationItem {
  path: string
  label: string
  icon: string
  /** Pages of another address that stand beside it. */
  also?: string
}

/** Where one can go from every page. */
export const navigation: readonly NavigationItem[] = [
  { path: '/overview', label: 'Overview', icon: 'overview' },
  { path: '/calls', label: 'Calls', icon: 'calls' },
  { path: '/campaigns', label: 'Campaigns', icon: 'campaigns' },
  { path: '/contacts', label: 'Contacts', icon: 'contacts' },
  { path: '/phone-numbers', label: 'Phone numbers', icon: 'numbers' },
  { path: '/agents', label: 'Agents', icon: 'agents' },
  { path: '/tools', label: 'Tools', icon: 'tools' },
  { path: '/knowledge', label: 'Knowledge', icon: 'knowledge', also: '/spreadsheets' },
  { path: '/integrations', label: 'Integrations', icon: 'integrations' },
  { path: '/settings', label: 'Settings', icon: 'settings' },
]
