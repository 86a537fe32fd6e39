/** Keeps the process small: an operator mostly waits, and a list of many objects is garbage as soon as it was looked at. */
import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the young generation of the heap at its first size. V8 would let it grow to 48 MB while a large list is read, and never give them
 * back; with small pages what a page leaves behind fits into one.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
