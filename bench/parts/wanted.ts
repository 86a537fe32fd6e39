/** Which parts of a bench run: those that CARABINER_BENCH_PARTS names, separated by commas, or all of them. */

/** Undefined when all are wanted. */
export function wantedParts(): readonly string[] | undefined {
  return process.env['CARABINER_BENCH_PARTS']?.split(',').map((name) => name.trim())
}

/** Calls `work` for each wanted part, one after the other in the given order. */
export async function eachPart<P>(
  parts: Readonly<Record<string, P>>,
  work: (part: P, name: string) => void | Promise<void>,
): Promise<void> {
  const wanted = wantedParts()
  for (const [name, part] of Object.entries(parts)) if (wanted?.includes(name) ?? true) await work(part, name)
}
