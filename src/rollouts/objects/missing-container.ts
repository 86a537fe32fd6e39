/** What a hook needs of the template and does not find there: the container it copies, or whose image it takes. */
import type { HookAction } from '../policy/compile.ts'
import type { Container, PodTemplate } from '../policy/workload.ts'
import { podOf } from './exec-new-pod.ts'
import { unknownVariable } from './variables.ts'

export interface MissingContainer {
  readonly container: string
  /** The variable that names it, in front of a sentence; empty for the container of `execNewPod`. */
  readonly field: string
  /** Those it could have named. */
  readonly known: readonly Container[]
}

export function missingIn(template: PodTemplate, action: HookAction): MissingContainer | undefined {
  const { containers, initContainers = [] } = template.spec
  if (action.kind === 'pod' && podOf(template, action.pod) === undefined)
    return { container: action.pod.containerName, field: '', known: containers }
  const unknown = unknownVariable(action, template)
  if (unknown === undefined) return undefined
  return { container: unknown.container, field: `${unknown.written}: `, known: [...containers, ...initContainers] }
}
