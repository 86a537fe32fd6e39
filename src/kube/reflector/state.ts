/**
 * The reflector's states and the one function that moves between them, free of I/O: what happened goes in, what to do next comes out.
 * Reads like kube-rs' watcher: every state the program can be in is listed here, and nowhere else is decided when to list again.
 */
import { type BackoffLimits, backoff } from './backoff.ts'
import type { Failure } from './failure.ts'

export type State =
  /** Nothing is known, or what was known is void: a list begins. `rewound`: versions kept from before mean nothing any more. */
  | { readonly kind: 'empty'; readonly failures: number; readonly rewound: boolean; readonly whole: boolean }
  /** Page after page is collected beside the cache, which still shows what was known before. `whole`: in one piece, because a token expired. */
  | {
      readonly kind: 'paging'
      readonly failures: number
      readonly rewound: boolean
      readonly whole: boolean
      readonly token: string | undefined
    }
  /** The last page is in: the cache is to be swapped. */
  | { readonly kind: 'listed'; readonly failures: number; readonly version: string; readonly rewound: boolean }
  /** A watch from `version` is to be opened, or is open. */
  | { readonly kind: 'watching'; readonly version: string; readonly failures: number }
  /** The connection was lost: does the server we reach now still know our version? A watch from a version to come would stay deaf. */
  | { readonly kind: 'doubting'; readonly version: string; readonly failures: number }
  /** Back-off before `resume`. */
  | { readonly kind: 'waiting'; readonly delay: number; readonly resume: State }

export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'page'; readonly token: string | undefined; readonly version: string }
  /** The server ended the watch in good order. */
  | { readonly kind: 'ended'; readonly version: string; readonly progressed: boolean }
  /** `version` and `progressed` tell how far a watch came before it failed. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly version?: string; readonly progressed?: boolean }

export const initial: State = { kind: 'empty', failures: 0, rewound: false, whole: false }

/** `chance`, a random number in [0, 1), spreads the waits. */
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
      // Failures are forgotten only when a watch gets on: a server that lists well and then says "gone" would be asked without end.
      return { kind: 'watching', version: state.version, failures: state.failures }
    case 'watching': {
      if (outcome.kind !== 'ended') return impossible(state, outcome)
      const { version, progressed } = outcome
      if (progressed) return { kind: 'watching', version, failures: 0 }
      return waiting({ kind: 'watching', version, failures: state.failures + 1 }, state.failures + 1, limits, chance)
    }
    case 'doubting':
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
  // Silence is no failure of the server: it may just have had nothing to say.
  const failures = (progressed ? 0 : state.failures) + (failure.kind === 'silent' ? 0 : 1)
  const wait = (resume: State, atLeast = 0) => waiting(resume, failures, limits, chance, atLeast)
  const listing = state.kind === 'empty' || state.kind === 'paging'
  const rewound = failure.kind === 'rewound' || (listing && state.rewound)

  if (failure.kind === 'expired' || failure.kind === 'rewound') {
    // All watchers of a server tend to expire together: the wait keeps them from listing together.
    return wait({ kind: 'empty', failures, rewound, whole: listing })
  }
  if (listing) return wait({ ...state, failures }, retryAfter(failure))
  const reached = version ?? state.version
  if (failure.kind === 'refused') return wait({ kind: state.kind, version: reached, failures }, retryAfter(failure))
  const doubting: State = { kind: 'doubting', version: reached, failures }
  return failure.kind === 'silent' ? doubting : wait(doubting)
}

function retryAfter(failure: Failure): number {
  return failure.kind === 'refused' ? (failure.retryAfter ?? 0) : 0
}

function waiting(resume: State, failures: number, limits: BackoffLimits, chance: number, atLeast = 0): State {
  return { kind: 'waiting', delay: atLeast + backoff(limits, failures, chance), resume }
}

function impossible(state: State, outcome: Outcome): never {
  throw new Error(`reflector: outcome ${outcome.kind} in state ${state.kind}`)
}
