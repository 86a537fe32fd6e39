/** Says that containers run on the user's own machine, as whom, and which flag changes it. */
import { userInfo } from 'node:os'

/** Undefined when containers are simulated. */
export function commandsNotice({ nodeMode }: { readonly nodeMode: 'simulate' | 'process' }): string | undefined {
  if (nodeMode === 'simulate') return undefined
  return `Commands of containers run on this machine as ${userName()}, without isolation;\n--node-mode simulate runs none.`
}

/** In a container the user often has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}
