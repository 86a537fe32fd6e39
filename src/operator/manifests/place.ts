/** Where the operator's own objects are and what they are called. */
export interface Place {
  readonly namespace: string
  /** Of the Deployment, the Service, the service account and the roles. */
  readonly name: string
}

export function labels({ name }: Place): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'carabiner' }
}

export function selector({ name }: Place): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name }
}
