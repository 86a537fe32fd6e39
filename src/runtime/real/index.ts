/** Public face of the real runtime. It stands apart from `runtime/index.ts`, so that a browser never loads Node's modules. */
export {
  type CertificateAuthority,
  createAuthority,
  type KeyPair,
  loadAuthority,
  type Subject,
  type Validity,
} from './certificates.ts'
export type { LogOptions } from './log.ts'
export { createRealRuntime, type RealRuntime, type RealRuntimeOptions } from './runtime.ts'
export { hasTraceSdk, startTraceExporter } from './traces.ts'
