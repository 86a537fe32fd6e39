/**
 * Short hashes for names and labels. Not the numbers Go computes over its own memory dump, but as stable: the same template gives the
 * same ten characters everywhere.
 */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'

export function fnv32a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) {
    hash ^= byte
    hash = Math.imul(hash, 0x01000193)
  }
  return hash >>> 0
}

/** Replaces every character by one that can spell no word and is valid in a name. */
export function safeEncode(text: string): string {
  return Array.from(text, (character) => alphabet[(character.codePointAt(0) ?? 0) % alphabet.length]).join('')
}

export function shortHash(text: string, collisionCount?: number): string {
  const input = collisionCount === undefined ? text : `${text}#${collisionCount}`
  return safeEncode(fnv32a(input).toString().padStart(10, '0'))
}
