/** Expands `$(NAME)` in commands, arguments and values. Unknown names are kept; `$$(NAME)` becomes `$(NAME)`. */
export function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$(\$|\(([^()]*)\))/g, (whole, after: string, name: string | undefined) => {
    if (after === '$') return '$'
    return name !== undefined && Object.hasOwn(values, name) ? (values[name] ?? '') : whole
  })
}
