/** Escapes names of members that are not identifiers: `x-y` is `x__dash__y`, `namespace` is `__namespace__`. */
const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return'.split(' '),
)

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}

/** Returns the name unchanged when it needs no escape or cannot be escaped. */
export function escapeName(name: string): string {
  if (reserved.has(name)) return `__${name}__`
  if (!/__|[.\-/]/.test(name) || !/^[A-Za-z_][\w.\-/]*$/.test(name)) return name
  return name.replace(/__|[.\-/]/g, (part) => escapes[part] ?? part)
}
