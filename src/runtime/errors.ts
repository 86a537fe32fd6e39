/**
 * One table of all errors a user can see: a stable code, its meaning and its remedy. `docs/reference/errors.md` is generated from it.
 * A message names the file or object, the field and the value; a remedy names the next step.
 */
export const errorTable = {
  CRB_INTERNAL: { exit: 1, meaning: 'A defect in Carabiner.', remedy: 'Run again with --debug and report the output.' },
  CRB_USAGE: { exit: 2, meaning: 'The command line is not valid.', remedy: 'See --help of the command.' },
  CRB_FILE_NOT_FOUND: { exit: 1, meaning: 'A file does not exist.', remedy: 'Check the path.' },
  CRB_FILE_UNREADABLE: {
    exit: 1,
    meaning: 'A file cannot be read or written.',
    remedy: 'Check the owner and the mode of the path.',
  },
  CRB_YAML_MALFORMED: {
    exit: 1,
    meaning: 'A file is not valid YAML or JSON.',
    remedy: 'Fix the line named in the message.',
  },
  CRB_PORT_IN_USE: {
    exit: 1,
    meaning: 'Another program listens on the port or the socket.',
    remedy: 'Stop that program, or choose another port or socket; port 0 takes any free port.',
  },
  CRB_API_REFUSED: {
    exit: 1,
    meaning: 'The API server refused a request.',
    remedy: 'The message quotes the server; change the object or the request accordingly.',
  },
  CRB_API_UNAUTHORIZED: {
    exit: 1,
    meaning: 'The API server does not accept the credentials.',
    remedy: 'Log in again or renew the token or certificate of the user in the kubeconfig.',
  },
  CRB_API_FORBIDDEN: {
    exit: 1,
    meaning: 'The user is known but lacks a permission.',
    remedy: 'Grant the verb on the resource named in the message; `kubectl auth can-i` shows what is allowed.',
  },
  CRB_API_ANSWER_MALFORMED: {
    exit: 1,
    meaning: 'The answer of the API server does not have the form that the API defines.',
    remedy: 'Check that the address is that of an API server and that no proxy or login page answers instead.',
  },
  CRB_API_ANSWER_TOO_LARGE: {
    exit: 1,
    meaning: 'The answer of the API server is larger than Carabiner accepts.',
    remedy:
      'Check that the address is that of an API server. For a list, ask for fewer objects, for example of one namespace.',
  },
  CRB_API_ANSWER_LATE: {
    exit: 1,
    meaning: 'The answer of the API server did not end in time.',
    remedy: 'Check the network and the load of the API server, and that no proxy holds the answer back.',
  },
  CRB_CONNECTION_BROKEN: {
    exit: 1,
    meaning: 'The connection to the API server ended in the middle of an answer.',
    remedy:
      'Try again; if it happens again, check the network and the proxies between this machine and the API server.',
  },
  CRB_RESOURCE_NOT_SERVED: {
    exit: 1,
    meaning: 'The API server does not serve a resource.',
    remedy: 'Check the spelling; for a custom resource install its CustomResourceDefinition first.',
  },
  CRB_NAMESPACE_MISSING: {
    exit: 1,
    meaning: 'A namespaced object is named without a namespace.',
    remedy: 'Set metadata.namespace of the object or pass the namespace.',
  },
  CRB_OPERATOR_NOT_FOUND: {
    exit: 1,
    meaning: 'No running operator answers on the debug socket.',
    remedy:
      'Run the command on the machine or in the container of the operator, as its user; --debug-unix-socket names another socket.',
  },
  CRB_LISTEN_FAILED: {
    exit: 1,
    meaning: 'The process cannot listen on the address.',
    remedy: 'Use an address of this machine and a port above 1023, or run with permission to use the port.',
  },
  CRB_USER_FOLDER_MISSING: {
    exit: 1,
    meaning: 'No folder can be created in which only this user can change files.',
    remedy: 'Set XDG_RUNTIME_DIR or HOME to a folder that belongs to this user and that only this user can write to.',
  },
  CRB_PROCESS_NOT_FOUND: {
    exit: 1,
    meaning: 'A program to start does not exist.',
    remedy: 'Install it, correct the path, or put its folder on PATH.',
  },
  CRB_PROCESS_NOT_STARTED: {
    exit: 1,
    meaning: 'A program exists but cannot be started.',
    remedy: 'Check its mode, its #! line and the working directory.',
  },
  CRB_TRACE_EXPORTER_MISSING: {
    exit: 1,
    meaning: 'An endpoint for traces is configured, but the packages that export traces are not installed.',
    remedy: 'Install them beside carabiner, or remove the endpoint for traces.',
  },
  CRB_PATCH_MALFORMED: {
    exit: 1,
    meaning: 'A patch is malformed: it cannot be applied to any document.',
    remedy: 'Fix the operation or directive named in the message.',
  },
  CRB_PATCH_FAILED: {
    exit: 1,
    meaning: 'A patch does not fit the document it is applied to.',
    remedy: 'Compare the pointer in the message with the document as it is now.',
  },
  CRB_SCHEMA_INVALID: {
    exit: 1,
    meaning: 'A schema is not a structural OpenAPI v3 schema, or one of its rules cannot be compiled.',
    remedy: 'Fix the part of the schema named in the message.',
  },
  CRB_CEL_INVALID: {
    exit: 1,
    meaning: 'A CEL expression cannot be compiled.',
    remedy: 'Fix the expression at the position shown in the message.',
  },
  CRB_CEL_FAILED: {
    exit: 1,
    meaning: 'A CEL expression failed while it was evaluated, or exceeded its cost limit.',
    remedy: 'Guard optional fields with has(), and bound the lists and strings the expression goes over.',
  },
  CRB_CRON_INVALID: {
    exit: 1,
    meaning: 'A cron expression is not valid.',
    remedy: 'Fix the field named in the message; docs/reference/cron.md describes the fields.',
  },
  CRB_SETTING_INVALID: {
    exit: 2,
    meaning: 'A setting has an invalid value.',
    remedy: 'Correct the value at the place named in the message; `carabiner run --print-config` shows all settings.',
  },
  CRB_GATE_NOT_IN_FORCE: {
    exit: 1,
    meaning: 'The gate is installed, but a changed workload is not held.',
    remedy:
      'Start again; if it fails again, check with `carabiner doctor` whether another admission plugin of the API server changes the workload back.',
  },
  CRB_GATE_OPEN_TO_USER: {
    exit: 1,
    meaning:
      'The operator would run as the user of a person: the gate would let every change of this person pass, and no hook would run.',
    remedy:
      'Ask an administrator for the right to impersonate the user `system:carabiner` (the message has the commands), or install the operator into the cluster.',
  },
  CRB_GATE_UNATTENDED: {
    exit: 1,
    meaning:
      'Rollouts would be removed from an installation while the gate or policies remain, and no operator could release the held workloads.',
    remedy:
      'Run `kubectl delete rop -A --all` while the operator runs, so that it releases every workload, then `carabiner install --print --image any | kubectl delete -f -`, and install again; or omit --no-rollouts.',
  },
  CRB_IMAGE_MISSING: {
    exit: 2,
    meaning: 'An operator is to be installed without an image.',
    remedy: 'Build an image from a checkout, push it and give its name with --image; the message has the commands.',
  },
  CRB_INSTALL_NOT_READY: {
    exit: 1,
    meaning: 'The operator was installed, and its pods did not become ready in time.',
    remedy:
      'Fix the reason named in the message and install again; --timeout waits longer, and `kubectl describe pods` shows more.',
  },
  CRB_OPERATOR_RUNS: {
    exit: 1,
    meaning: 'Another operator for rollouts runs, and there can be only one.',
    remedy: 'Stop it, for example with Ctrl-C in its terminal, and install again.',
  },
  CRB_INSTALLED_ELSEWHERE: {
    exit: 1,
    meaning: 'Another namespace has an operator that runs rollouts, and there can be only one.',
    remedy: 'Install into its namespace, remove that operator first, or leave rollouts out with `--no-rollouts`.',
  },
  CRB_MANIFEST_INVALID: {
    exit: 1,
    meaning: 'A document in a file is not a Kubernetes object.',
    remedy: 'Give the document apiVersion, kind and metadata.name, or remove it.',
  },
  CRB_SANDBOX_RUNNING: {
    exit: 1,
    meaning: 'A sandbox with this name already runs.',
    remedy: 'Choose another name with --name, or stop it with `carabiner sandbox stop NAME`.',
  },
  CRB_SANDBOX_NOT_FOUND: {
    exit: 1,
    meaning: 'No sandbox with this name runs.',
    remedy: 'See `carabiner sandbox list`.',
  },
  CRB_SANDBOX_NOT_STOPPED: {
    exit: 1,
    meaning: 'A sandbox was asked to stop and did not end in time.',
    remedy: 'Look at the output of the process named in the message; it may be ended with `kill`.',
  },
  CRB_SANDBOX_DATA_IN_USE: {
    exit: 1,
    meaning: 'The data folder of a sandbox is in use by another sandbox that runs.',
    remedy: 'Stop that sandbox (`carabiner sandbox list` shows it), or name another folder with --data.',
  },
  CRB_SANDBOX_DATA_INVALID: {
    exit: 1,
    meaning: 'A data folder of a sandbox cannot be read, or is not one. Nothing in it was changed.',
    remedy:
      'Restore the file named in the message from a copy, use the version of the program that wrote it, or start with another folder.',
  },
  CRB_SANDBOX_DATA_NOT_SAVED: {
    exit: 1,
    meaning: 'A change cannot be saved in the data folder of a sandbox, so it was refused.',
    remedy: 'Make room on the disk or correct the rights of the folder; the sandbox tries again by itself.',
  },
  CRB_KUBECONFIG_MISSING: {
    exit: 1,
    meaning: 'No kubeconfig was found, and the process does not run in a pod.',
    remedy: 'Set KUBECONFIG or pass --kubeconfig; `carabiner sandbox` starts a cluster and prints one.',
  },
  CRB_KUBECONFIG_INVALID: {
    exit: 1,
    meaning: 'A kubeconfig has an invalid field.',
    remedy: 'Correct the field named in the message.',
  },
  CRB_KUBECONFIG_UNKNOWN: {
    exit: 1,
    meaning: 'A kubeconfig has no context, cluster or user with the given name.',
    remedy: 'Choose one of the names in the message, or pass --context.',
  },
  CRB_CREDENTIALS_FAILED: {
    exit: 1,
    meaning: 'The credential plugin of the kubeconfig failed.',
    remedy: 'Run the command shown in the message by hand and fix the error it prints.',
  },
  CRB_CONNECTION_REFUSED: {
    exit: 1,
    meaning: 'Nothing listens on the address of the API server.',
    remedy: 'Check that the cluster runs and that the server address in the kubeconfig is right.',
  },
  CRB_CONNECTION_FAILED: {
    exit: 1,
    meaning: 'The API server cannot be reached.',
    remedy: 'Check the server address in the kubeconfig, the network, the VPN and the proxy.',
  },
  CRB_TLS_EXPIRED: {
    exit: 1,
    meaning: 'A certificate has expired or is not yet valid.',
    remedy: 'Renew the certificate, and check the clock of this machine.',
  },
  CRB_TLS_UNTRUSTED: {
    exit: 1,
    meaning: 'The certificate of the API server is signed by an unknown authority.',
    remedy: 'Set certificate-authority in the cluster entry of the kubeconfig to the CA of the server.',
  },
  CRB_TLS_WRONG_HOST: {
    exit: 1,
    meaning: 'The certificate of the API server is issued for other names.',
    remedy: 'Use one of the names in the certificate as the server address, or set tls-server-name in the kubeconfig.',
  },
  CRB_TLS_FAILED: {
    exit: 1,
    meaning: 'The TLS handshake with the API server failed.',
    remedy: 'Check that the server speaks TLS and that the client certificate matches its key.',
  },
  CRB_LEASE_LOST: {
    exit: 1,
    meaning: 'This process lost leadership, because it could not renew its Lease in time.',
    remedy:
      'No action is needed: the process tries to become leader again. If it happens often, check the API server and the load of this machine.',
  },
  CRB_ITEM_INVALID: {
    exit: 1,
    meaning: 'A deploy item has an invalid field or annotation.',
    remedy: 'Fix the field or annotation named in the message.',
  },
  CRB_SELECTOR_INVALID: {
    exit: 2,
    meaning: 'A target selector of a deployer is not valid.',
    remedy: 'Fix the requirement named in the message; the operators are = == != in notin exists ! gt lt.',
  },
  CRB_DEPLOYER_UNLOADABLE: {
    exit: 1,
    meaning: 'A file cannot be loaded as a deployer.',
    remedy:
      'Give it a default export made by defineDeployer. A .ts file needs Node 22.18 or newer; compile it for older versions.',
  },
  CRB_DEPLOYER_CASE_INVALID: {
    exit: 1,
    meaning: 'A test case of a deployer is not valid.',
    remedy: 'Compare the file with the guide "Write a deployer".',
  },
  CRB_DEPLOYER_INVALID: {
    exit: 1,
    meaning: 'A deployer is defined without a required member.',
    remedy: 'Add the member named in the message: a type, and the functions reconcile and delete.',
  },
  CRB_CHART_INVALID: {
    exit: 1,
    meaning: 'A chart on disk cannot be read.',
    remedy: 'Package the chart and copy it into the folder again; the message names the file.',
  },
  CRB_JSONPATH_INVALID: {
    exit: 1,
    meaning: 'A JSON path cannot be parsed.',
    remedy: 'Fix the path at the character named in the message; the syntax is that of kubectl, without range and end.',
  },
  CRB_JSONPATH_MISMATCH: {
    exit: 1,
    meaning: 'A JSON path does not fit the object it is applied to.',
    remedy: 'Look at the object with `kubectl get -o yaml` and correct the path.',
  },
  CRB_JSONPATH_LIMIT: {
    exit: 1,
    meaning: 'A JSON path takes too many steps or finds too many values.',
    remedy: 'Name the fields of the path instead of `..` and `*`, or select objects that are smaller.',
  },
  CRB_TEST_CASE_INVALID: {
    exit: 1,
    meaning: 'A file of `carabiner hook test` is not a test case.',
    remedy: 'Fix the fields named in the message; docs/guides/write-a-hook.md shows the format.',
  },
  CRB_HOOK_INVALID: {
    exit: 1,
    meaning:
      'A hook cannot be used: it does not start, fails when it is run with --config, or prints an invalid configuration.',
    remedy: 'Fix the hooks listed in the message; with --skip-invalid-hooks the operator starts without them.',
  },
  CRB_MODULE_INVALID: {
    exit: 1,
    meaning: 'A modules folder contains an invalid module name or an invalid values file.',
    remedy: 'Rename the folder or fix the file named in the message.',
  },
  CRB_VALUES_PATCH_REFUSED: {
    exit: 1,
    meaning: 'A hook returned a values patch that cannot be applied.',
    remedy: 'Fix the operation named in the message in the hook; until then its runs fail.',
  },
  CRB_CONFIG_MAP_INVALID: {
    exit: 1,
    meaning: 'The ConfigMap of modules has a key that cannot be parsed.',
    remedy: 'Fix the key named in the message with `kubectl edit`.',
  },
  CRB_ENABLED_SCRIPT_FAILED: {
    exit: 1,
    meaning: 'The enabled script of a module failed, or printed neither true nor false.',
    remedy: 'Fix the script named in the message; it is run again after a back-off.',
  },
  CRB_HELM_MISSING: {
    exit: 1,
    meaning: 'The program helm is needed, but it is not installed.',
    remedy: 'Install helm 3.13 or later and put it on PATH, or set its path in the settings.',
  },
  CRB_HELM_FAILED: {
    exit: 1,
    meaning: 'The program helm failed.',
    remedy:
      'The message ends with the output of helm; fix the chart, the values or the object that the cluster refuses.',
  },
  CRB_HELM_VALUES_REFUSED: {
    exit: 1,
    meaning: 'The values do not match the schema of the chart.',
    remedy:
      'Change the values that the message names; `helm show readme` and the values.schema.json of the chart describe them.',
  },
  CRB_DURATION_INVALID: {
    exit: 1,
    meaning: 'A duration of the programming interface is not a number of milliseconds.',
    remedy: 'Give a number, for example 2 * 3_600_000 for two hours.',
  },
  CRB_SIMULATION_STUCK: {
    exit: 1,
    meaning: 'A simulation cannot finish.',
    remedy:
      'Look at the pending operations in the message; one of them waits for something that was never started or was stopped. A run with more events needs a larger maxEvents.',
  },
} as const satisfies Record<string, { exit: number; meaning: string; remedy: string }>

export type ErrorCode = keyof typeof errorTable

export interface ErrorDetails {
  readonly cause?: unknown
  /** Replaces the remedy of the table where the caller knows a more specific one. */
  readonly remedy?: string
}

/** An error meant for a user: a code of the table, a message and a remedy. */
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
