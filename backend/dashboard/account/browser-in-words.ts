// The order counts: every browser says that it is several others, too.
const browsers: [RegExp, string][] = [
  [/\bEdgA?(iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/.*Safari\//, 'Safari'],
]

const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

/** "Firefox on Windows", from what a browser says of itself. What is none of the known ones is named by its first word. */
export function formatBrowser(userAgent: string): string {
  const find = (patterns: [RegExp, string][]) => patterns.find(([pattern]) => pattern.test(userAgent))?.[1]
  const browser = find(browsers)
  const system = find(systems)
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  if (system !== undefined) return `A browser on ${system}`
  const [first = ''] = userAgent.trim().split(/[\s/]/)
  return first === '' ? 'An unknown browser' : first.slice(0, 40)
}
