/** What script hooks are configured with. */
import type { CompileOptions } from '../../jq/index.ts'
import type { ListenAddress } from '../../runtime/http.ts'
import type { HookLayout } from './discovery/discover.ts'
import type { RunnerOptions } from './run/runner.ts'
import type { WebhookOptions } from './webhooks/servers.ts'

export interface ScriptsOptions extends Pick<RunnerOptions, 'keepTemporaryFiles' | 'mergeJsonLines'> {
  readonly place: HookLayout
  /** Folder for the files of runs. */
  readonly tmpDir: string
  /** Leaves out hooks that cannot be loaded instead of refusing to start. @default false */
  readonly skipInvalidHooks?: boolean
  /** In front of the names of built-in metrics. @default `addon_operator_` for the document's layout, else `shell_operator_` */
  readonly metricsPrefix?: string
  /** Serves metrics of hooks at `/metrics` too, and not only at `/metrics/hooks`. @default false */
  readonly hookMetricsEverywhere?: boolean
  /** Milliseconds before a failed run is tried again: at first, and at most. @default 3 s, 32 s */
  readonly retry?: { readonly backoff: number; readonly maxBackoff: number }
  /** Milliseconds a run may take. @default none */
  readonly timeout?: number
  /** Files that show what waits in the queues. @default none */
  readonly queueFiles?: readonly string[]
  /** Where questions about queues, hooks and snapshots are answered. @default nowhere */
  readonly debug?: readonly ListenAddress[]
  /** Where hooks answer the API server. @default nowhere: what they bind to there has no effect */
  readonly webhooks?: WebhookOptions
  /** Where `shell_lib.sh` lies. */
  readonly frameworkDir?: string
  /** The namespace that runs are journaled in. @default none: runs are kept in memory only */
  readonly journalNamespace?: string
  /** Where jq programs find their modules. */
  readonly jq?: CompileOptions
}
