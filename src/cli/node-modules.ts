/**
 * The built-in modules of Node.js that the operator uses. Node.js contains a code cache for them, which V8 rejects once its flags have
 * changed; modules that are loaded after that take three times as long.
 * `test/sandbox/node-modules.test.ts` compares the list with what an operator loads.
 */
export const nodeModules = [
  'assert',
  'child_process',
  'cluster',
  'crypto',
  'dns',
  'http',
  'net',
  'perf_hooks',
  'tls',
  'worker_threads',
]

/** Must be called before V8 flags are changed. */
export function loadNodeModules(): void {
  for (const name of nodeModules) process.getBuiltinModule(name)
}
