/** Public exports of the Node.js runtime. They are separate from `runtime/index.ts`, so that a browser bundle contains no Node modules. */
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
