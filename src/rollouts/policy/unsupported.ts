/** What the resource lets people write but this version does not carry out. It is said at once, because nobody would ever come to it. */
import type { CompiledPolicy } from './compile.ts'

/** In a sentence; undefined when everything can be done. */
export function unsupportedIn({ hooks, onAbort }: CompiledPolicy): string | undefined {
  const found = hooks.flatMap(({ name, moment }) => [
    ...(moment.kind === 'mid' ? [`hook ${name} runs in the middle of a Recreate`] : []),
  ])
  if (onAbort === 'Undo') found.push('onAbort is Undo')
  return found.length === 0 ? undefined : `${found.join('; ')}: not supported yet`
}
