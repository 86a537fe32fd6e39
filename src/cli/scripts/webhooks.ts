/** Resolves address and certificates of the webhook servers from the flags. */
import type { ServerPlace, WebhookOptions } from '../../addons/scripts/index.ts'
import { CarabinerError, type Runtime } from '../../runtime/index.ts'
import { issueCertificate } from '../certificate.ts'
import type { ResolvedScripts } from './resolve.ts'

/** `podNamespace` is the namespace of the operator when it runs in a cluster. */
export async function webhookOptions(
  resolved: ResolvedScripts,
  runtime: Pick<Runtime, 'files' | 'env'>,
  podNamespace: string,
): Promise<WebhookOptions> {
  const { values } = resolved
  return {
    admission: {
      ...(await placeOf('validating', resolved, runtime, podNamespace)),
      name: values.validatingWebhookConfigurationName,
      failurePolicy: values.validatingWebhookFailurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    },
    conversion: await placeOf('conversion', resolved, runtime, podNamespace),
    issue: issueCertificate,
  }
}

async function placeOf(
  server: 'validating' | 'conversion',
  { values, given }: ResolvedScripts,
  { files, env }: Pick<Runtime, 'files' | 'env'>,
  podNamespace: string,
): Promise<ServerPlace> {
  const isInCluster = env['KUBERNETES_SERVICE_HOST'] !== undefined
  const namespace = values.namespace === '' ? podNamespace : values.namespace
  const names = [`${server}WebhookServerCert`, `${server}WebhookServerKey`, `${server}WebhookCa`] as const
  const paths = names.map((name) => values[name])
  const facts = await Promise.all(paths.map((path) => files.facts(path)))
  const missing = paths.filter((_, index) => facts[index] === undefined)
  // Files set by a flag or a variable must exist; files at the default paths are optional.
  if (missing.length > 0 && (missing.length < paths.length || names.some((name) => given.has(name))))
    throw new CarabinerError(
      'CRB_FILE_UNREADABLE',
      `the webhook certificate is incomplete: ${missing.join(' and ')} does not exist`,
      {
        remedy: `Create the files or set other paths with --${server}-webhook-server-cert, -server-key and -ca; without any of these files a certificate is issued.`,
      },
    )
  const [cert = '', key = '', ca = ''] = paths
  const clientCas = values[`${server}WebhookClientCa`].split(',').filter((path) => path !== '')
  return {
    listen: {
      host: values[`${server}WebhookListenAddress`],
      port: values[`${server}WebhookListenPort`],
      flag: `--${server}-webhook-listen-port`,
    },
    ...(isInCluster ? { service: { namespace, name: values[`${server}WebhookServiceName`], port: 443 } } : {}),
    ...(missing.length === 0 ? { files: { cert, key, ca } } : {}),
    clientCas,
  }
}
