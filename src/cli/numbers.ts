/** Parsers for numeric options. Commander prints option and value in front of their messages. */
import { InvalidArgumentError } from 'commander'

export function wholeNumber(min: number, max = Infinity): (text: string) => number {
  const range = max === Infinity ? `, ${min} or more` : ` from ${min} to ${max}`
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a whole number${range}.`)
  }
}

/** 0 takes any free port. */
export const port = wholeNumber(0, 65_535)

export function seconds(text: string): number {
  const value = Number(text)
  if (value > 0 && value < Infinity) return value
  throw new InvalidArgumentError('It must be a number of seconds, more than 0.')
}
