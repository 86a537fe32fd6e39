/** Finds hooks by name; the extension may be left out. */

export function isHookName(known: string, given: string): boolean {
  return known === given || known.replace(/\.[^./]+$/, '') === given
}

/** The exact name, or else the first name that equals it without extension. */
export function findHookName(names: readonly string[], given: string): string | undefined {
  return names.includes(given) ? given : names.find((known) => isHookName(known, given))
}
