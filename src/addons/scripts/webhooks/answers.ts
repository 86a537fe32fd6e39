/**
 * Parses the answers of hooks to admission and conversion requests. A missing or invalid answer and a failed hook deny the request with an
 * explanation, so that a broken hook does not admit objects.
 */
import { isJsonObject, type Json, type JsonObject, textFromBase64, textToBase64 } from '../../../runtime/index.ts'
import { shown } from '../config/findings.ts'
import type { RunResult } from '../run/types.ts'

export interface AdmissionAnswer {
  readonly allowed: boolean
  readonly message?: string
  readonly warnings: readonly string[]
  /** A JSON patch in base64. */
  readonly patch?: string
  /** The hook succeeded, but its answer is invalid. */
  readonly isInvalid?: boolean
}

export function admissionAnswer(hook: string, { failure, answers }: RunResult): AdmissionAnswer {
  if (failure !== undefined) return refused(`hook ${hook} failed: ${failure.message}`)
  const answer = parsed(answers.admission)
  if (answer === undefined) return invalidAnswer(`hook ${hook} left no answer in $VALIDATING_RESPONSE_PATH`)
  if (!isJsonObject(answer)) return invalidAnswer(noObject(hook, answers.admission))
  const { allowed, message, warnings, patch } = answer
  if (typeof allowed !== 'boolean') return invalidAnswer(`hook ${hook} answered without "allowed": true or false`)
  const encoded = patch === undefined || patch === null || patch === '' ? undefined : encodedPatch(patch)
  if (encoded === false) return invalidAnswer(`hook ${hook} answered with a "patch" that is not a JSON patch in base64`)
  const lines = warnings ?? []
  if (!isStringList(lines)) return invalidAnswer(`hook ${hook} answered with "warnings" that are not a list of strings`)
  return {
    allowed,
    warnings: lines.flatMap(linesOf),
    ...(typeof message === 'string' && message !== '' ? { message } : {}),
    ...(encoded === undefined ? {} : { patch: encoded }),
  }
}

function isStringList(value: Json): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** Warnings are HTTP headers, so API servers drop those with line breaks or tabs. */
function linesOf(warning: string): readonly string[] {
  const lines = warning.split(/[\r\n]+/).map((line) => line.replaceAll(/\p{Cc}+/gu, ' ').trim())
  return lines.filter((line) => line !== '')
}

function refused(message: string): AdmissionAnswer {
  return { allowed: false, message, warnings: [] }
}

function invalidAnswer(message: string): AdmissionAnswer {
  return { ...refused(message), isInvalid: true }
}

/** The patch in base64; false when it is invalid. Hooks as functions may return it as a list. */
function encodedPatch(patch: Json): string | false {
  if (Array.isArray(patch)) return textToBase64(JSON.stringify(patch))
  if (typeof patch !== 'string') return false
  // Some base64 tools wrap lines.
  const text = patch.replace(/\s+/g, '')
  try {
    return Array.isArray(JSON.parse(textFromBase64(text))) ? text : false
  } catch {
    return false
  }
}

export type ConversionAnswer =
  | { readonly objects: readonly JsonObject[] }
  /** The message for the client. `isInvalid`: the hook succeeded, but its answer is invalid. */
  | { readonly failed: string; readonly isInvalid?: boolean }

/** `count` is the number of objects in the request. */
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
    return noConversion(`hook ${hook} got ${count} objects and answered with ${convertedObjects.length}`)
  return { objects: convertedObjects }
}

function noConversion(failed: string): ConversionAnswer {
  return { failed, isInvalid: true }
}

/** Undefined for an empty answer, null for invalid JSON. */
function parsed(text: string): Json | undefined {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

function noObject(hook: string, text: string): string {
  return `hook ${hook} answered with something other than a JSON object: ${shown(text.trim())}`
}
