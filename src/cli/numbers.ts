/** Numbers that options take. What is said of others stands behind commander's own words about option and value. */
import { InvalidArgumentError } from 'commander'

export function wholeNumber(least: number, most = Infinity): (text: string) => number {
  const range = most === Infinity ? `, ${least} or more` : ` from ${least} to ${most}`
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number${range}.`)
  }
}

/** 0 takes any free one. */
export const port = wholeNumber(0, 65_535)

export function seconds(text: string): number {
  const value = Number(text)
  if (value > 0 && value < Infinity) return value
  throw new InvalidArgumentError('It must be a number of seconds, more than 0.')
}
