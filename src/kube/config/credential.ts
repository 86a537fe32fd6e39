/** The headers and certificates that prove a user's identity, and where they come from. */
export interface Credential {
  readonly authorization?: string
  readonly cert?: string
  readonly key?: string
}

export interface Credentials {
  current(): Promise<Credential>
  /** Reads files and runs plugins again; `current` may return the same afterwards. */
  renew(): Promise<void>
}
