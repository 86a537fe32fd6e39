/** Why runs fail: a closed set, so that a caller never has to read a message to decide. */
export const failureReasons = [
  /** The Job, pod, process or function ended with a failure of its own. */
  'Failed',
  /** The API server refused the object as invalid. */
  'NotCreated',
  /** An object of someone else has the name of the run's object. */
  'NameTaken',
  /** The program cannot be started. */
  'NotStarted',
  /** No end within the time the hook was given. */
  'Timeout',
  /** Cancelled because this process stops. */
  'Stopped',
  /** The HTTP request could not be sent, or no response came. */
  'CallFailed',
  /** The HTTP response has a status, or a body, that does not mean success. */
  'UnexpectedAnswer',
  /** The address policy does not allow the HTTP request. */
  'AddressRefused',
  /** A person rejected the approval. */
  'Rejected',
  /** The pod was evicted or preempted, or lost its node: nothing that the hook did. */
  'Disrupted',
  /** Started, and nothing is known about its end. */
  'Lost',
] as const

export type FailureReason = (typeof failureReasons)[number]
