/**
 * Compares resource versions. Kubernetes guarantees their order since 1.35, and etcd always had one; a version that is not a number has no order.
 */

/** Whether `version` lies before `other`; false when either is not a decimal number. */
export function isBefore(version: string, other: string): boolean {
  if (!decimal.test(version) || !decimal.test(other)) return false
  return version.length === other.length ? version < other : version.length < other.length
}

const decimal = /^(0|[1-9][0-9]*)$/
