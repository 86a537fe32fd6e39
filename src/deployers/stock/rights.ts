/** What each stock deployer needs on the cluster of the deploy items, in addition to the rights of the library. */
import { type AccessRule, readVerbs, secretRules } from '../access.ts'
import type { StockName } from './names.ts'

const containerRules: readonly AccessRule[] = [
  ...secretRules,
  // Input, results and state of a run.
  { apiGroups: [''], resources: ['secrets'], verbs: ['delete'] },
  { apiGroups: [''], resources: ['pods'], verbs: [...readVerbs, 'create', 'delete'] },
  // Service account and rights of the `wait` container, which stores the results of an item.
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['create'] },
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['create'] },
]

export const stockRules: Readonly<Record<StockName, readonly AccessRule[]>> = {
  manifest: secretRules,
  helm: secretRules,
  container: containerRules,
  // Mock items are for tests. Their exports need the rights of another deployer, or a Role.
  mock: [],
}
