/** Names of hooks as people say them: the extension may be left out. */

export function isMeant(known: string, said: string): boolean {
  return known === said || known.replace(/\.[^./]+$/, '') === said
}

/** The name that is said in full, or else the first that is meant. */
export function nameMeant(names: readonly string[], said: string): string | undefined {
  return names.includes(said) ? said : names.find((known) => isMeant(known, said))
}
