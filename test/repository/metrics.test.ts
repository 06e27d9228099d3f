import { expect, it } from '@jest/globals'
import { collectProcessMetrics, createMetrics } from '../../backend/service/metrics/metrics.ts'
import { readPage } from '../support/docs.ts'

/** The properties of metric objects that their TypeScript type doesn't declare. */
interface Metric {
  name: string
  help: string
  labelNames: string[]
}

const metrics = createMetrics()
const ownMetrics = metrics.registry.getMetricsAsArray() as unknown as Metric[]
collectProcessMetrics(metrics)
const all = new Map(
  (metrics.registry.getMetricsAsArray() as unknown as Metric[]).map((metric) => [metric.name, metric]),
)

const findMetric = (name: string) => all.get(name) ?? all.get(name.replace(/_(count|sum|bucket)$/, ''))

const code = (text: string) => `\`${text}\``

it('docs/guides/monitoring.md lists every metric of Outdial with its labels and its help text', () => {
  const expected = ownMetrics.map(({ name, labelNames, help }) =>
    [code(name), labelNames.map(code).join(', '), help].join(' | '),
  )
  const documented = readPage('docs/guides/monitoring.md')
    .split('\n')
    .filter((line) => line.startsWith('| `outdial_'))
    .map((line) => line.slice(2, -2).replaceAll(/ +/g, ' ').trim().replace('| |', '|  |'))
  expect(documented).toEqual(expected)
})

it.each(['docs/guides/scale.md', 'docs/guides/monitoring.md', 'docs/reference/alerts.yaml'])(
  '%s names only metrics and labels that exist',
  (page) => {
    const other = ['outdial_workspace', 'outdial_service', 'outdial_backup', 'outdial_only']
    const used = [
      ...readPage(page).matchAll(/\b((?:outdial|process|nodejs)_[a-z_]+)\b(?!\/)(?:\{([^}]*)\})?/g),
    ].filter(([, name = '']) => !other.includes(name))
    expect(used.length).toBeGreaterThan(3)
    const unknown = used.flatMap(([, name = '', selector = '']) => {
      const metric = findMetric(name)
      if (metric === undefined) return [name]
      const labels = selector
        .split(',')
        .flatMap((part) => part.trim().split(/[!=]/, 1))
        .filter(Boolean)
      return labels.filter((label) => !metric.labelNames.includes(label)).map((label) => `${name}{${label}}`)
    })
    expect(unknown).toEqual([])
  },
)

it('alerts are grouped only by labels that their metrics have', () => {
  const groups = [
    ...readPage('docs/reference/alerts.yaml').matchAll(/\bby \(([^)]+)\) \(.*?\b(outdial_\w+)/g),
  ]
  expect(groups.length).toBeGreaterThan(2)
  const unknown = groups.flatMap(([, labels = '', name = '']) =>
    labels
      .split(/,\s*/)
      .filter((label) => label !== 'le' && findMetric(name)?.labelNames.includes(label) !== true)
      .map((label) => `${name}{${label}}`),
  )
  expect(unknown).toEqual([])
})
