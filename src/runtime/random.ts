/**
 * Randomness as a parameter, so that a simulated run is the same run whenever it starts from the same number.
 */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  bytes(length: number): Uint8Array
  /** A version 4 UUID. */
  uuid(): string
}
