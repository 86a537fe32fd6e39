/** The validation of built-in kinds. */
import { objectAt } from '../defaults/fill.ts'
import type { Strategy } from '../resource.ts'
import { validateConfigMap, validateSecret } from './configuration.ts'
import { validateDefinition } from './definitions.ts'
import { jobValidators } from './jobs.ts'
import { validatePod, validateTemplate } from './pods.ts'
import { policyValidators } from './policies.ts'
import { rbacValidators } from './rbac.ts'
import { validateService } from './services.ts'
import { workloadValidators } from './workloads.ts'

type Validator = Strategy['validate']

const validators: Readonly<Record<string, Validator>> = {
  '/ConfigMap': validateConfigMap,
  '/Pod': validatePod,
  '/PodTemplate': (object) => validateTemplate(objectAt(object, 'template'), 'template'),
  '/Secret': validateSecret,
  '/Service': validateService,
  'apiextensions.k8s.io/CustomResourceDefinition': validateDefinition,
  ...jobValidators,
  ...policyValidators,
  ...rbacValidators,
  ...workloadValidators,
}

export function validatorOf(group: string, kind: string): Validator {
  return validators[`${group}/${kind}`] ?? (() => [])
}
