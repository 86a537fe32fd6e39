/** Path functions for kubeconfig files on any platform, without a path library. */
import type { Runtime } from '../../runtime/index.ts'

export function homeOf(env: Runtime['env']): string {
  return env['HOME'] ?? env['USERPROFILE'] ?? ''
}

/** Resolves `path` against the directory of `file`. */
export function relativeTo(file: string, path: string): string {
  if (isAbsolute(path)) return path
  const end = Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'))
  return end === -1 ? path : `${file.slice(0, end + 1)}${path}`
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || path.startsWith('\\') || /^[A-Za-z]:[/\\]/.test(path)
}
