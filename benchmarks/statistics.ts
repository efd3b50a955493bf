/** The value below which this part of the values lies. */
export function quantile(values: number[], part: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  const at = (sorted.length - 1) * part
  const low = sorted[Math.floor(at)]!
  return low + (sorted[Math.ceil(at)]! - low) * (at % 1)
}

export const median = (values: number[]): number => quantile(values, 0.5)
