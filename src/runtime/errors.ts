/**
 * One table of everything that can go wrong for a user: a stable code, what it means, what to do. `docs/reference/errors.md` is
 * generated from it. Messages name the file or object, the field and the value; the remedy is written for someone at 3 a.m.
 */
export const errorTable = {
  CRB_INTERNAL: { exit: 1, meaning: 'A defect in Carabiner.', remedy: 'Run again with --debug and report the output.' },
  CRB_USAGE: { exit: 2, meaning: 'The command line is not understood.', remedy: 'See --help of the command.' },
  CRB_FILE_NOT_FOUND: { exit: 1, meaning: 'A file that was named does not exist.', remedy: 'Check the path.' },
  CRB_FILE_UNREADABLE: {
    exit: 1,
    meaning: 'A file cannot be read or written.',
    remedy: 'Check owner and mode of the path.',
  },
  CRB_YAML_MALFORMED: {
    exit: 1,
    meaning: 'A file is not valid YAML or JSON.',
    remedy: 'Mend the line that the message names.',
  },
  CRB_PORT_IN_USE: {
    exit: 1,
    meaning: 'Another program listens on the port.',
    remedy: 'Stop that program or choose another port or socket, for example with --listen-port; 0 takes any free one.',
  },
  CRB_API_REFUSED: {
    exit: 1,
    meaning: 'The API server refused a request.',
    remedy: 'The message holds the words of the server; change the object or the request accordingly.',
  },
  CRB_API_UNAUTHORIZED: {
    exit: 1,
    meaning: 'The API server does not accept the credentials.',
    remedy: 'Log in again or renew the token or certificate of the user in the kubeconfig.',
  },
  CRB_API_FORBIDDEN: {
    exit: 1,
    meaning: 'The user is known but lacks a permission.',
    remedy: 'Grant the verb on the resource that the message names; `kubectl auth can-i` shows what is allowed.',
  },
  CRB_API_ANSWER_MALFORMED: {
    exit: 1,
    meaning: 'The answer of the API server is not what the API promises.',
    remedy: 'Check that the address is that of an API server and that no proxy or login page answers instead.',
  },
  CRB_CONNECTION_BROKEN: {
    exit: 1,
    meaning: 'The connection to the API server ended in the middle of an answer.',
    remedy: 'Try again; if it stays, check the network and the proxies between here and the API server.',
  },
  CRB_RESOURCE_NOT_SERVED: {
    exit: 1,
    meaning: 'The cluster does not know a resource.',
    remedy: 'Check the spelling; for a custom resource install its CustomResourceDefinition first.',
  },
  CRB_NAMESPACE_MISSING: {
    exit: 1,
    meaning: 'A namespaced object was named without its namespace.',
    remedy: 'Set metadata.namespace of the object or name the namespace.',
  },
  CRB_OPERATOR_NOT_FOUND: {
    exit: 1,
    meaning: 'No running operator answers on the debug socket.',
    remedy: 'Run this on the machine or in the container of the operator; --debug-unix-socket names another socket.',
  },
  CRB_LISTEN_FAILED: {
    exit: 1,
    meaning: 'The address cannot be listened on.',
    remedy: 'Use an address of this machine and a port above 1023, or run with the right to use it.',
  },
  CRB_PROCESS_NOT_FOUND: {
    exit: 1,
    meaning: 'A program that should be started does not exist.',
    remedy: 'Install it, mend the path, or put its folder on PATH.',
  },
  CRB_PROCESS_NOT_STARTED: {
    exit: 1,
    meaning: 'A program exists but cannot be started.',
    remedy: 'Check its mode, its #! line and the working directory.',
  },
  CRB_TRACE_EXPORTER_MISSING: {
    exit: 1,
    meaning: 'Traces shall be exported, but the packages that do it are not installed.',
    remedy: 'Install them beside carabiner, or configure no endpoint for traces.',
  },
  CRB_PATCH_MALFORMED: {
    exit: 1,
    meaning: 'A patch is not a patch of its kind, whatever the document.',
    remedy: 'Mend the operation or directive that the message names.',
  },
  CRB_PATCH_FAILED: {
    exit: 1,
    meaning: 'A patch does not fit the document it is applied to.',
    remedy: 'Compare the pointer in the message with the document as it is now.',
  },
  CRB_SCHEMA_INVALID: {
    exit: 1,
    meaning: 'A schema is not a structural OpenAPI v3 schema, or one of its rules cannot be compiled.',
    remedy: 'Mend the part of the schema that the message names.',
  },
  CRB_CEL_INVALID: {
    exit: 1,
    meaning: 'A CEL expression cannot be compiled.',
    remedy: 'Mend the expression at the place that the message shows.',
  },
  CRB_CEL_FAILED: {
    exit: 1,
    meaning: 'A CEL expression failed while it was evaluated, or cost more than it may.',
    remedy: 'Guard optional fields with has(), and bound the lists and strings the expression goes over.',
  },
  CRB_CRON_INVALID: {
    exit: 1,
    meaning: 'A cron expression is not understood.',
    remedy: 'Mend the field that the message names; docs/reference/cron.md describes the fields.',
  },
  CRB_SETTING_INVALID: {
    exit: 2,
    meaning: 'A setting has a value that cannot be used.',
    remedy:
      'Correct the value where the message says it comes from; `carabiner run --print-config` shows all settings.',
  },
  CRB_GATE_UNATTENDED: {
    exit: 1,
    meaning:
      'Rollouts shall go from an installation while their gate or policies stay: nobody would be left to open it.',
    remedy:
      'Run `kubectl delete rop -A --all` while the operator still gives every workload back, then `carabiner install --print | kubectl delete -f -`, and install anew; or leave --no-rollouts out.',
  },
  CRB_INSTALLED_ELSEWHERE: {
    exit: 1,
    meaning: 'Another namespace has an operator that runs rollouts, and there can be only one.',
    remedy: 'Install into its namespace, take it away first, or leave rollouts out with `--no-rollouts`.',
  },
  CRB_MANIFEST_INVALID: {
    exit: 1,
    meaning: 'A document in a file is not a Kubernetes object.',
    remedy: 'Give the document apiVersion, kind and metadata.name, or remove it.',
  },
  CRB_KUBECONFIG_MISSING: {
    exit: 1,
    meaning: 'No kubeconfig was found and this is not a pod.',
    remedy: 'Set KUBECONFIG or pass --kubeconfig; `carabiner sandbox` starts a cluster and prints one.',
  },
  CRB_KUBECONFIG_INVALID: {
    exit: 1,
    meaning: 'A kubeconfig holds something that cannot be used.',
    remedy: 'Correct the field that the message names.',
  },
  CRB_KUBECONFIG_UNKNOWN: {
    exit: 1,
    meaning: 'A kubeconfig has no context, cluster or user of that name.',
    remedy: 'Choose one of the names in the message, or pass --context.',
  },
  CRB_CREDENTIALS_FAILED: {
    exit: 1,
    meaning: 'The program that should give credentials did not.',
    remedy: 'Run the command of the message by hand and mend what it complains about.',
  },
  CRB_CONNECTION_REFUSED: {
    exit: 1,
    meaning: 'Nothing listens at the address of the API server.',
    remedy: 'Check that the cluster runs and that the server in the kubeconfig is right.',
  },
  CRB_CONNECTION_FAILED: {
    exit: 1,
    meaning: 'The API server cannot be reached.',
    remedy: 'Check the name in the kubeconfig, the network, VPN and proxy.',
  },
  CRB_TLS_EXPIRED: {
    exit: 1,
    meaning: 'A certificate is outside its time of validity.',
    remedy: 'Renew the certificate, and check the clock of this machine.',
  },
  CRB_TLS_UNTRUSTED: {
    exit: 1,
    meaning: 'The certificate of the API server is signed by an unknown authority.',
    remedy: 'Put the right certificate-authority into the cluster entry of the kubeconfig.',
  },
  CRB_TLS_WRONG_HOST: {
    exit: 1,
    meaning: 'The certificate of the API server is for other names.',
    remedy: 'Use one of the names of the certificate as server, or set tls-server-name in the kubeconfig.',
  },
  CRB_TLS_FAILED: {
    exit: 1,
    meaning: 'No TLS connection to the API server came about.',
    remedy: 'Check that the server speaks TLS and that client certificate and key belong together.',
  },
  CRB_LEASE_LOST: {
    exit: 1,
    meaning: 'This process may not work any longer, because it could not renew its lease.',
    remedy:
      'Nothing: it tries to lead again. If it happens often, look at the API server and at the load of this machine.',
  },
  CRB_ITEM_INVALID: {
    exit: 1,
    meaning: 'A deploy item holds something that cannot be used.',
    remedy: 'Mend the field or annotation that the message names.',
  },
  CRB_SELECTOR_INVALID: {
    exit: 2,
    meaning: 'A target selector of a deployer makes no sense.',
    remedy: 'Mend the requirement that the message names; operators are = == != in notin exists ! gt lt.',
  },
  CRB_DEPLOYER_UNLOADABLE: {
    exit: 1,
    meaning: 'A file cannot be loaded as a deployer.',
    remedy:
      'Give it a default export made by defineDeployer. A .ts file needs Node 22.18 or newer; compile it for older ones.',
  },
  CRB_DEPLOYER_CASE_INVALID: {
    exit: 1,
    meaning: 'A test case of a deployer is not understood.',
    remedy: 'Compare the file with the guide "Write a deployer".',
  },
  CRB_DEPLOYER_INVALID: {
    exit: 1,
    meaning: 'A deployer is defined without something it needs.',
    remedy: 'Give the deployer what the message names: a type, and the functions reconcile and delete.',
  },
  CRB_CHART_INVALID: {
    exit: 1,
    meaning: 'A chart on disk cannot be read.',
    remedy: 'Pack and push the chart into the folder again; the message names the file.',
  },
  CRB_JSONPATH_INVALID: {
    exit: 1,
    meaning: 'A JSON path cannot be read.',
    remedy: 'Mend the path at the character that the message names; paths are those of kubectl, without range and end.',
  },
  CRB_JSONPATH_MISMATCH: {
    exit: 1,
    meaning: 'A JSON path does not fit the object it is applied to.',
    remedy: 'Look at the object with `kubectl get -o yaml` and correct the path.',
  },
  CRB_TEST_CASE_INVALID: {
    exit: 1,
    meaning: 'A file of `carabiner hook test` is not a test case.',
    remedy: 'Mend the fields that the message names; docs/guides/write-a-hook.md shows the format.',
  },
  CRB_HOOK_INVALID: {
    exit: 1,
    meaning:
      'Hooks cannot be used: they do not start, fail when asked for their configuration, or print one that is wrong.',
    remedy: 'Mend what the message lists; with --skip-invalid-hooks the operator starts without such hooks.',
  },
  CRB_MODULE_INVALID: {
    exit: 1,
    meaning: 'A folder of modules holds something that cannot be used: the name of a module, or a file of values.',
    remedy: 'Rename the folder or mend the file that the message names.',
  },
  CRB_VALUES_PATCH_REFUSED: {
    exit: 1,
    meaning: 'A hook asked for a change of values that cannot be made.',
    remedy: 'Mend the operation that the message names in the hook; the run counts as failed until then.',
  },
  CRB_CONFIG_MAP_INVALID: {
    exit: 1,
    meaning: 'The ConfigMap of modules holds a part that cannot be read.',
    remedy: 'Mend the key that the message names with `kubectl edit`.',
  },
  CRB_ENABLED_SCRIPT_FAILED: {
    exit: 1,
    meaning: 'The program that tells whether a module is on has failed, or said neither true nor false.',
    remedy: 'Mend the program that the message names; it is asked again after a pause.',
  },
  CRB_HELM_MISSING: {
    exit: 1,
    meaning: 'The program helm is needed and is not there.',
    remedy: 'Install helm 3.13 or later and put it on PATH, or name it in the settings.',
  },
  CRB_HELM_FAILED: {
    exit: 1,
    meaning: 'The program helm failed.',
    remedy: 'The message holds its last words; mend the chart, the values or what the cluster refuses.',
  },
  CRB_SIMULATION_STUCK: {
    exit: 1,
    meaning: 'A simulation cannot come to its end.',
    remedy: 'Look at what still waits; something it waits for was never started or was halted.',
  },
} as const satisfies Record<string, { exit: number; meaning: string; remedy: string }>

export type ErrorCode = keyof typeof errorTable

export interface ErrorDetails {
  readonly cause?: unknown
  /** Replaces the table's remedy where the place knows better. */
  readonly remedy?: string
}

/** An error meant for a user. `final` errors stay wrong when repeated; the others may go away by themselves. */
export class CarabinerError extends Error {
  readonly code: ErrorCode
  readonly remedy: string

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'CarabinerError'
    this.code = code
    this.remedy = details.remedy ?? errorTable[code].remedy
  }
}
