/**
 * `carabiner/hooks`: the hook mechanism that all surfaces share. Until 0.3 it also exports the names of `carabiner/script-hooks`, which was
 * called `carabiner/hooks` before 0.2. It is a file of addons because src/hooks must not know a surface.
 */
import { defineHook as define } from './define.ts'

export * from '../../../hooks/index.ts'
export type * from './index.ts'

/** @deprecated Import it from `carabiner/script-hooks`. */
export const defineHook = define
