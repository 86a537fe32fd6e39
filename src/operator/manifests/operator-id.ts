/** The namespace and the name of the operator's own objects. */
export interface OperatorId {
  readonly namespace: string
  /** Name of the Deployment, the Service, the service account and the roles. */
  readonly name: string
}

export function labels({ name }: OperatorId): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'carabiner' }
}

export function selector({ name }: OperatorId): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name }
}
