/**
 * Short hashes for names and labels. They differ from the hashes of Go, but are equally stable: the same template
 * always gives the same ten characters.
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

/** Replaces every character by one that is valid in names and forms no words. */
export function safeEncode(text: string): string {
  return Array.from(text, (character) => alphabet[(character.codePointAt(0) ?? 0) % alphabet.length]).join('')
}

export function shortHash(text: string, collisionCount?: number): string {
  const input = collisionCount === undefined ? text : `${text}#${collisionCount}`
  return safeEncode(fnv32a(input).toString().padStart(10, '0'))
}
