/** Error codes and messages for failures of connections. */
import { CarabinerError, type ErrorCode } from '../../runtime/index.ts'

const codes: Readonly<Record<string, ErrorCode>> = {
  ECONNREFUSED: 'CRB_CONNECTION_REFUSED',
  ENOTFOUND: 'CRB_CONNECTION_FAILED',
  EAI_AGAIN: 'CRB_CONNECTION_FAILED',
  ETIMEDOUT: 'CRB_CONNECTION_FAILED',
  EHOSTUNREACH: 'CRB_CONNECTION_FAILED',
  ENETUNREACH: 'CRB_CONNECTION_FAILED',
  UND_ERR_CONNECT_TIMEOUT: 'CRB_CONNECTION_FAILED',
  CERT_HAS_EXPIRED: 'CRB_TLS_EXPIRED',
  CERT_NOT_YET_VALID: 'CRB_TLS_EXPIRED',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'CRB_TLS_EXPIRED',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'CRB_TLS_UNTRUSTED',
  SELF_SIGNED_CERT_IN_CHAIN: 'CRB_TLS_UNTRUSTED',
  UNABLE_TO_GET_ISSUER_CERT: 'CRB_TLS_UNTRUSTED',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'CRB_TLS_UNTRUSTED',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'CRB_TLS_UNTRUSTED',
  CERT_SIGNATURE_FAILURE: 'CRB_TLS_UNTRUSTED',
  CERT_UNTRUSTED: 'CRB_TLS_UNTRUSTED',
  ERR_TLS_CERT_ALTNAME_INVALID: 'CRB_TLS_WRONG_HOST',
  EPROTO: 'CRB_TLS_FAILED',
}

const meanings: Partial<Readonly<Record<ErrorCode, string>>> = {
  CRB_CONNECTION_REFUSED: 'the connection was refused',
  CRB_CONNECTION_FAILED: 'the server cannot be reached',
  CRB_CONNECTION_BROKEN: 'the connection broke',
  CRB_TLS_EXPIRED: 'a certificate has expired or is not valid yet',
  CRB_TLS_UNTRUSTED: "the server's certificate is signed by an unknown authority",
  CRB_TLS_WRONG_HOST: "the server's certificate is for other names",
  CRB_TLS_FAILED: 'the TLS connection failed',
}

/** `server` is the address in the kubeconfig. */
export function networkError(error: unknown, server: string): Error {
  if (!(error instanceof Error) || error instanceof CarabinerError) return error as Error
  const code = codeIn(error)
  const reason = error.message || code
  return new CarabinerError(classify(code), `${server}: ${meanings[classify(code)]} (${reason}).`, { cause: error })
}

/** TLS failures: the files may have been renewed, so they are read again. */
export function isTlsError(error: unknown): boolean {
  return error instanceof CarabinerError && error.code.startsWith('CRB_TLS_')
}

function classify(code: string): ErrorCode {
  const known = codes[code]
  if (known !== undefined) return known
  return /^ERR_(SSL|OSSL|TLS)_/.test(code) ? 'CRB_TLS_FAILED' : 'CRB_CONNECTION_BROKEN'
}

/** The code of the error or its cause; of several addresses that of the first. */
function codeIn(error: Error & { code?: unknown; errors?: unknown }): string {
  if (Array.isArray(error.errors) && error.errors[0] instanceof Error) return codeIn(error.errors[0])
  if (error.cause instanceof Error && 'code' in error.cause) return codeIn(error.cause)
  return typeof error.code === 'string' ? error.code : ''
}
