/**
 * The user of an operator that runs outside the cluster. Every write of the operator's user passes the gate, so it must not be the user of a
 * person or a pipeline.
 */
export const engineUser = 'system:carabiner'
