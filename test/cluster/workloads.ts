/** The workloads that tests create: as small as they can be. */
export function podTemplate(app: string, image = 'example/app:1') {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: 'main', image }] } }
}

export function deployment(name: string, replicas: number, spec: object = {}) {
  return {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: podTemplate(name), ...spec },
  }
}
