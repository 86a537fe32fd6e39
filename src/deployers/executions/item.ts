/**
 * The deploy item of a template. Its name is derived from the execution and the template, so that a repeated create finds the existing
 * item.
 */
import { secondTime } from '../../kube/index.ts'
import { type Instant, sha256Hex } from '../../runtime/index.ts'
import { annotations, labels } from '../resources/annotations.ts'
import { apiVersion, type DeployItem, type DeployItemTemplate, type Execution } from '../resources/types.ts'

const maxNameLength = 253

export function itemFrom(
  execution: Execution,
  template: DeployItemTemplate,
  operation: string,
  now: Instant,
): DeployItem {
  const { name, namespace = '', uid = '' } = execution.metadata
  const suffix = sha256Hex(`${uid}/${template.name}`).slice(0, 5)
  const { dependsOn = [] } = template
  return {
    apiVersion,
    kind: 'DeployItem',
    metadata: {
      name: `${`${name}-${template.name}`.slice(0, maxNameLength - suffix.length - 1)}-${suffix}`,
      namespace,
      labels: { ...template.labels, [labels.managedBy]: name, [labels.managedName]: template.name },
      annotations: {
        [annotations.operation]: operation,
        [annotations.reconcileTime]: secondTime(now),
        ...(dependsOn.length === 0 ? {} : { [annotations.dependsOn]: dependsOn.join(',') }),
      },
      ownerReferences: [{ apiVersion, kind: 'Execution', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: specOf(execution, template),
  }
}

function specOf({ spec }: Execution, template: DeployItemTemplate): DeployItem['spec'] {
  const { type, target, config, timeout } = template
  return {
    type,
    config,
    ...(target === undefined ? {} : { target }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(spec.context === undefined ? {} : { context: spec.context }),
    ...(spec.registryPullSecrets === undefined ? {} : { registryPullSecrets: spec.registryPullSecrets }),
  }
}
