/** Options of the scripts surface. */
import type { CompileOptions } from '../../jq/index.ts'
import type { ListenAddress } from '../../runtime/index.ts'
import type { HookLayout } from './discovery/discover.ts'
import type { RunnerOptions } from './run/runner.ts'
import type { WebhookOptions } from './webhooks/servers.ts'

export interface ScriptsOptions extends Pick<RunnerOptions, 'keepTemporaryFiles' | 'mergeJsonLines'> {
  readonly place: HookLayout
  /** The folder for temporary files of runs. */
  readonly tmpDir: string
  /** Skips invalid hooks instead of refusing to start. @default false */
  readonly skipInvalidHooks?: boolean
  /**
   * Reloads hooks of a plain folder when their files change. Runs are then kept in memory only, because a hook may watch ConfigMaps or Events
   * after an edit. @default false
   */
  readonly watch?: boolean
  /** The prefix of built-in metrics. @default `addon_operator_` for the document layout, else `shell_operator_` */
  readonly metricsPrefix?: string
  /** Serves metrics of hooks at `/metrics` as well as at `/metrics/hooks`. @default false */
  readonly hookMetricsEverywhere?: boolean
  /** The first and the maximum back-off after failed runs, in milliseconds. @default 3 s, 32 s */
  readonly retry?: { readonly backoff: number; readonly maxBackoff: number }
  /** Timeout of a run in milliseconds. @default none */
  readonly timeout?: number
  /** Files that list the tasks in the queues. @default none */
  readonly queueFiles?: readonly string[]
  /** Sockets and ports of the debug endpoint. @default none */
  readonly debug?: readonly ListenAddress[]
  /** The webhook servers. @default none: admission and conversion bindings have no effect */
  readonly webhooks?: WebhookOptions
  /** The folder of `shell_lib.sh`. */
  readonly frameworkDir?: string
  /** The namespace that runs are journaled in. @default none: runs are kept in memory only */
  readonly journalNamespace?: string
  /** The pod of the operator, which events about failed runs regard. @default none: no events */
  readonly pod?: { readonly name: string; readonly namespace: string }
  /** Search paths of jq modules. */
  readonly jq?: CompileOptions
}
