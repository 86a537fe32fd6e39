/**
 * What hooks answer to the API server, read from what they left. Whatever is missing, wrong or failed is a refusal that says so: an object must
 * not get in because a hook is broken.
 */
import { textFromBase64, textToBase64 } from '../../../runtime/base64.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/json.ts'
import { shown } from '../config/findings.ts'
import type { RunResult } from '../run/types.ts'

export interface AdmissionAnswer {
  readonly allowed: boolean
  readonly message?: string
  readonly warnings: readonly string[]
  /** Base64 text of a JSON patch. */
  readonly patch?: string
  /** The hook ended well, but what it left is no answer. */
  readonly isUseless?: boolean
}

export function admissionAnswer(hook: string, { failure, answers }: RunResult): AdmissionAnswer {
  if (failure !== undefined) return refused(`hook ${hook} failed: ${failure.message}`)
  const answer = parsed(answers.admission)
  if (answer === undefined) return useless(`hook ${hook} left no answer in $VALIDATING_RESPONSE_PATH`)
  if (!isJsonObject(answer)) return useless(noObject(hook, answers.admission))
  const { allowed, message, warnings, patch } = answer
  if (typeof allowed !== 'boolean') return useless(`hook ${hook} answered without "allowed": true or false`)
  const encoded = patch === undefined || patch === null || patch === '' ? undefined : encodedPatch(patch)
  if (encoded === false) return useless(`hook ${hook} answered with a "patch" that is not a JSON patch in base64`)
  const told = warnings ?? []
  if (!isTexts(told)) return useless(`hook ${hook} answered with "warnings" that are not a list of texts`)
  return {
    allowed,
    warnings: told.flatMap(linesOf),
    ...(typeof message === 'string' && message !== '' ? { message } : {}),
    ...(encoded === undefined ? {} : { patch: encoded }),
  }
}

function isTexts(value: Json): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** API servers drop a warning that has a line break or a tab in it, since warnings are headers. */
function linesOf(warning: string): readonly string[] {
  const lines = warning.split(/[\r\n]+/).map((line) => line.replaceAll(/\p{Cc}+/gu, ' ').trim())
  return lines.filter((line) => line !== '')
}

function refused(message: string): AdmissionAnswer {
  return { allowed: false, message, warnings: [] }
}

function useless(message: string): AdmissionAnswer {
  return { ...refused(message), isUseless: true }
}

/** False when it is none. A patch that is not encoded is what hooks that are functions have at hand. */
function encodedPatch(patch: Json): string | false {
  if (Array.isArray(patch)) return textToBase64(JSON.stringify(patch))
  if (typeof patch !== 'string') return false
  // Tools that encode break long lines.
  const text = patch.replace(/\s+/g, '')
  try {
    return Array.isArray(JSON.parse(textFromBase64(text))) ? text : false
  } catch {
    return false
  }
}

export type ConversionAnswer =
  | { readonly objects: readonly JsonObject[] }
  /** For whoever asked for the objects. Useless: the hook ended well, but what it left is no answer. */
  | { readonly failed: string; readonly isUseless?: boolean }

/** `count`: how many objects the hook was given. */
export function conversionAnswer(hook: string, { failure, answers }: RunResult, count: number): ConversionAnswer {
  if (failure !== undefined) return { failed: `hook ${hook} failed: ${failure.message}` }
  const answer = parsed(answers.conversion)
  if (answer === undefined) return noConversion(`hook ${hook} left no answer in $CONVERSION_RESPONSE_PATH`)
  if (!isJsonObject(answer)) return noConversion(noObject(hook, answers.conversion))
  const { failedMessage, convertedObjects } = answer
  if (typeof failedMessage === 'string' && failedMessage !== '') return { failed: failedMessage }
  if (!Array.isArray(convertedObjects) || !convertedObjects.every(isJsonObject))
    return noConversion(`hook ${hook} answered neither "convertedObjects" nor "failedMessage"`)
  if (convertedObjects.length !== count)
    return noConversion(`hook ${hook} was given ${count} objects and answered ${convertedObjects.length}`)
  return { objects: convertedObjects }
}

function noConversion(failed: string): ConversionAnswer {
  return { failed, isUseless: true }
}

/** Undefined when there is nothing, null when it is not JSON. */
function parsed(text: string): Json | undefined {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

function noObject(hook: string, text: string): string {
  return `hook ${hook} answered something that is no JSON object: ${shown(text.trim())}`
}
