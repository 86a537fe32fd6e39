/** Randomness, passed in as a parameter so that a simulation can be repeated from its seed. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  bytes(length: number): Uint8Array
  /** A version 4 UUID. */
  uuid(): string
}
