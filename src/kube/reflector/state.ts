/**
 * The reflector's states and the function that moves between them, without I/O. Every state is listed here, and only here is decided when to list
 * again (the design of kube-rs' watcher).
 */
import { type BackoffLimits, backoff } from './backoff.ts'
import type { Failure } from './failure.ts'

export type State =
  /** A list begins. `rewound`: the server has another storage, so known versions are meaningless. */
  | { readonly kind: 'empty'; readonly failures: number; readonly rewound: boolean; readonly whole: boolean }
  /** Pages are collected while the cache shows the previous state. `whole`: in one page, because a continue token expired. */
  | {
      readonly kind: 'paging'
      readonly failures: number
      readonly rewound: boolean
      readonly whole: boolean
      readonly token: string | undefined
    }
  /** The list is complete and replaces the cache next. */
  | { readonly kind: 'listed'; readonly failures: number; readonly version: string; readonly rewound: boolean }
  /** A watch from `version` is open or about to be opened. */
  | { readonly kind: 'watching'; readonly version: string; readonly failures: number }
  /** The connection was lost. A server with another storage accepts a watch from a future version and sends nothing, so its newest version is checked. */
  | { readonly kind: 'verifying'; readonly version: string; readonly failures: number }
  /** Back-off before `resume`. */
  | { readonly kind: 'waiting'; readonly delay: number; readonly resume: State }

export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'page'; readonly token: string | undefined; readonly version: string }
  /** The server ended the watch. */
  | { readonly kind: 'ended'; readonly version: string; readonly progressed: boolean }
  /** `version` and `progressed`: how far a watch got before it failed. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly version?: string; readonly progressed?: boolean }

export const initial: State = { kind: 'empty', failures: 0, rewound: false, whole: false }

/** `chance` is a random number in [0, 1) for the jitter. */
export function step(state: State, outcome: Outcome, limits: BackoffLimits, chance: number): State {
  if (outcome.kind === 'failed') return afterFailure(state, outcome, limits, chance)
  switch (state.kind) {
    case 'empty':
      return { ...state, kind: 'paging', token: undefined }
    case 'paging': {
      if (outcome.kind !== 'page') return impossible(state, outcome)
      const { failures, rewound } = state
      if (outcome.token === undefined) return { kind: 'listed', failures, version: outcome.version, rewound }
      return { ...state, token: outcome.token }
    }
    case 'listed':
      // Failures are reset only when a watch progresses, or a server that lists but rejects every watch with 410 would be listed in a loop.
      return { kind: 'watching', version: state.version, failures: state.failures }
    case 'watching': {
      if (outcome.kind !== 'ended') return impossible(state, outcome)
      const { version, progressed } = outcome
      if (progressed) return { kind: 'watching', version, failures: 0 }
      return waiting(
        { kind: 'watching', version, failures: state.failures + 1 },
        backoff(limits, state.failures + 1, chance),
      )
    }
    case 'verifying':
      return { kind: 'watching', version: state.version, failures: state.failures }
    case 'waiting':
      return state.resume
  }
}

function afterFailure(
  state: State,
  { failure, version, progressed = false }: Outcome & { readonly kind: 'failed' },
  limits: BackoffLimits,
  chance: number,
): State {
  if (state.kind === 'listed' || state.kind === 'waiting') return impossible(state, { kind: 'failed', failure })
  // Silence is not counted as a failure: there may have been no events.
  const failures = (progressed ? 0 : state.failures) + (failure.kind === 'silent' ? 0 : 1)
  const wait = (resume: State, atLeast = 0) => waiting(resume, atLeast + backoff(limits, failures, chance))
  const listing = state.kind === 'empty' || state.kind === 'paging'
  const rewound = failure.kind === 'rewound' || (listing && state.rewound)

  if (failure.kind === 'expired' || failure.kind === 'rewound') {
    // All watches of a server tend to expire together: back-off with jitter spreads their lists.
    return wait({ kind: 'empty', failures, rewound, whole: listing })
  }
  if (listing) return wait({ ...state, failures }, retryAfter(failure))
  const reached = version ?? state.version
  if (failure.kind === 'refused') return wait({ kind: state.kind, version: reached, failures }, retryAfter(failure))
  const verifying: State = { kind: 'verifying', version: reached, failures }
  return failure.kind === 'silent' ? verifying : wait(verifying)
}

function retryAfter(failure: Failure): number {
  return failure.kind === 'refused' ? (failure.retryAfter ?? 0) : 0
}

function waiting(resume: State, delay: number): State {
  return { kind: 'waiting', delay, resume }
}

function impossible(state: State, outcome: Outcome): never {
  throw new Error(`reflector: outcome ${outcome.kind} in state ${state.kind}`)
}
