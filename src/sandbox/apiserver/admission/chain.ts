/** Runs the admission plug-ins of this server in order: built-in mutation, mutating webhooks, then validation. */
import type { ApiObject } from '../object.ts'
import type { Admission, Attributes } from './admission.ts'

export interface Plugin {
  /** Returns the object to continue with; absent or undefined leaves the object unchanged. */
  mutate?(attributes: Attributes): Promise<ApiObject | undefined> | ApiObject | undefined
  validate?(attributes: Attributes): Promise<void> | void
}

export class AdmissionChain implements Admission {
  readonly #plugins: readonly Plugin[]

  constructor(plugins: readonly Plugin[]) {
    this.#plugins = plugins
  }

  async mutate<T extends Attributes>(attributes: T): Promise<T['object']> {
    let object: ApiObject | undefined = attributes.object
    for (const plugin of this.#plugins) {
      if (plugin.mutate === undefined) continue
      object = (await plugin.mutate({ ...attributes, object })) ?? object
    }
    return object
  }

  async validate(attributes: Attributes): Promise<void> {
    for (const plugin of this.#plugins) await plugin.validate?.(attributes)
  }
}
