/** The namespace and the name of the operator's own objects. */
export interface Place {
  readonly namespace: string
  /** Name of the Deployment, the Service, the service account and the roles. */
  readonly name: string
}

export function labels({ name }: Place): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'carabiner' }
}

export function selector({ name }: Place): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name }
}
