/**
 * What the operator needs of Node itself. Node brings code for its modules that was compiled when it was built, and the engine refuses it once it
 * runs with other flags: modules that are loaded after that take three times as long.
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

/** To be called before flags of the engine are changed. */
export function loadNodeModules(): void {
  for (const name of nodeModules) process.getBuiltinModule(name)
}
