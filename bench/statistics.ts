/** Returns the value that the given share of the values doesn't exceed. Interpolates between the two nearest values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  const position = (sorted.length - 1) * share
  const lower = sorted[Math.floor(position)] ?? NaN
  const upper = sorted[Math.ceil(position)] ?? NaN
  return lower + (upper - lower) * (position % 1)
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)
