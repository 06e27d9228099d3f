import { type Html, html } from './html.ts'

/** The drawings of icons, in 20 by 20 units. */
const drawings = {
  overview: html`<path d="M3 10.5 10 4l7 6.5"/><path d="M5 9v7h10V9"/>`,
  calls: html`
    <path d="M6.2 3.5 8 7.3 6.4 8.9a9 9 0 0 0 4.7 4.7l1.6-1.6 3.8 1.8v2.7c-7 .8-13.800-6-13-13z"/>
  `,
  campaigns: html`
    <path d="M3.500 8v4h3l6 3.500v-11L6.500 8z"/>
    <path d="M15.500 7.500a3.500 3.500 0 0 1 0 5"/>
  `,
  contacts: html`
    <circle cx="8" cy="7" r="2.800"/>
    <path d="M3 16c.4-3 2.400-4.500 5-4.500s4.600 1.500 5 4.500"/>
    <path d="M13 4.600a2.800 2.800 0 0 1 0 4.800M15 12.200c1.200.7 1.800 2 2 3.800"/>
  `,
  numbers: html`<path d="M8 3.500 6.500 16.500M13.500 3.500 12 16.500M4 7.500h13M3 12.500h13"/>`,
  agents: html`
    <rect x="4" y="6.500" width="12" height="9" rx="2.500"/>
    <path d="M10 6.500V3.500M7.700 10.500v1M12.300 10.500v1M2.500 10v2.500M17.500 10v2.500"/>
  `,
  tools: html`
    <path d="M12.500 3.800a3.700 3.700 0 0 0-4.500 4.900l-4.500 4.500 2.600 2.600 4.500-4.500a3.700 3.700 0 0 0 4.900-4.500l-2.200 2.200-2.300-.7-.7-2.300z"/>
  `,
  knowledge: html`
    <path d="M4 4.500h5a1.500 1.500 0 0 1 1.500 1.500v10a1.500 1.500 0 0 0-1.500-1.500H4zM17 4.500h-5A1.500 1.500 0 0 0 10.500 6"/>
    <path d="M17 4.500v10h-5a1.500 1.500 0 0 0-1.500 1.500"/>
  `,
  integrations: html`<path d="M7 3.500v4M13 3.500v4M5 7.500h10v2.500a5 5 0 0 1-10 0zM10 15v2"/>`,
  settings: html`
    <circle cx="10" cy="10" r="2.500"/>
    <path d="M10 2.800v2M10 15.200v2M2.800 10h2M15.200 10h2"/>
    <path d="M4.900 4.900l1.400 1.400M13.700 13.700l1.400 1.400M15.100 4.900l-1.400 1.400"/>
    <path d="M6.300 13.700l-1.400 1.400"/>
  `,
  menu: html`<path d="M3.500 6h13M3.500 10h13M3.500 14h13"/>`,
  switch: html`<path d="m7 8 3-3 3 3M7 12l3 3 3-3"/>`,
  back: html`<path d="m12 5-5 5 5 5"/>`,
}

export type IconName = keyof typeof drawings

export const icon = (name: IconName): Html => html`<svg
    class="icon"
    viewBox="0 0 20 20"
    width="20"
    height="20"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    focusable="false"
  >${drawings[name]}</svg>`
