/**
 * `$(NAME)` in commands, arguments and values: replaced where the name is known, left alone where not; `$$(NAME)` stays `$(NAME)`.
 */
export function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$(\$|\(([^()]*)\))/g, (whole, after: string, name: string | undefined) => {
    if (after === '$') return '$'
    return name !== undefined && Object.hasOwn(values, name) ? (values[name] ?? '') : whole
  })
}
