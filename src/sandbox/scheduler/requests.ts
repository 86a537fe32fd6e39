/** The resource requests of a pod: the sum over its containers, or the largest init container if that is more. */
import type { Container, Pod, ResourceList } from '../../kube/kinds/index.ts'
import { quantity } from '../kinds/quantity.ts'

export type Amounts = ReadonlyMap<string, number>

/** Default requests for scoring only, so that containers without requests are spread over nodes too. */
const assumedForScoring = { cpu: 0.1, memory: 200 * 2 ** 20 } as const

function add(sum: Map<string, number>, resources: ResourceList | undefined): void {
  for (const [name, value] of Object.entries(resources ?? {})) sum.set(name, (sum.get(name) ?? 0) + quantity(value))
}

function raiseToMax(sum: Map<string, number>, other: Amounts): void {
  for (const [name, value] of other) sum.set(name, Math.max(sum.get(name) ?? 0, value))
}

const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always'

export function requestsOf(pod: Pod): Amounts {
  const running = new Map<string, number>()
  for (const container of pod.spec.containers) add(running, container.resources?.requests)
  const sidecars = new Map<string, number>()
  const starting = new Map<string, number>()
  for (const container of pod.spec.initContainers ?? []) {
    if (isSidecar(container)) {
      add(sidecars, container.resources?.requests)
      raiseToMax(starting, sidecars)
    } else {
      const step = new Map(sidecars)
      add(step, container.resources?.requests)
      raiseToMax(starting, step)
    }
  }
  for (const [name, value] of sidecars) running.set(name, (running.get(name) ?? 0) + value)
  raiseToMax(running, starting)
  return running
}

export function scoringRequests(pod: Pod): { readonly cpu: number; readonly memory: number } {
  let cpu = 0
  let memory = 0
  for (const { resources } of pod.spec.containers) {
    const requests = resources?.requests
    cpu += requests?.['cpu'] === undefined ? assumedForScoring.cpu : quantity(requests['cpu'])
    memory += requests?.['memory'] === undefined ? assumedForScoring.memory : quantity(requests['memory'])
  }
  return { cpu, memory }
}
