/** The images of a revision, and what a rollout changes about them. */
import type { PodTemplate } from '../../../rollouts/index.ts'

/** The images of the containers in their order, each once. */
export function imagesOf(template: PodTemplate): string {
  return [...new Set(template.spec.containers.map(({ image = '' }) => image))].join(', ')
}

/** As `shop/web:2 → shop/web:3`; with several containers, those that change, with their names. */
export function imageChange(from: PodTemplate | undefined, to: PodTemplate): string {
  if (from === undefined) return imagesOf(to)
  const before = new Map(from.spec.containers.map(({ name, image = '' }) => [name, image]))
  const all = to.spec.containers
  const changed = all.filter(({ name, image = '' }) => before.get(name) !== image)
  if (changed.length === 0) return `${imagesOf(to)} (unchanged)`
  const way = ({ name, image = '' }: (typeof all)[number]) => {
    const old = before.get(name)
    return old === undefined ? `+ ${image}` : `${old} → ${image}`
  }
  return changed.map((one) => (all.length === 1 ? way(one) : `${one.name}: ${way(one)}`)).join(', ')
}
