/** Containers of pods: what they run and what became of them. */
export type ResourceList = Readonly<Record<string, string | number>>

/** One key of a ConfigMap or Secret. */
export interface KeySelector {
  readonly name: string
  readonly key: string
  readonly optional?: boolean
}

export interface EnvVarSource {
  readonly configMapKeyRef?: KeySelector
  readonly secretKeyRef?: KeySelector
  readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string }
  readonly resourceFieldRef?: {
    readonly containerName?: string
    readonly resource: string
    readonly divisor?: string | number
  }
}

export interface EnvVar {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: EnvVarSource
}

export interface EnvFromSource {
  readonly prefix?: string
  readonly configMapRef?: { readonly name: string; readonly optional?: boolean }
  readonly secretRef?: { readonly name: string; readonly optional?: boolean }
}

export interface ContainerPort {
  readonly name?: string
  readonly containerPort: number
  readonly hostPort?: number
  readonly hostIP?: string
  readonly protocol?: string
}

export interface VolumeMount {
  readonly name: string
  readonly mountPath: string
  readonly subPath?: string
  readonly subPathExpr?: string
  readonly readOnly?: boolean
  readonly mountPropagation?: string
}

export interface HttpGetAction {
  readonly path?: string
  readonly port: number | string
  readonly host?: string
  readonly scheme?: string
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[]
}

export interface ProbeHandler {
  readonly exec?: { readonly command?: readonly string[] }
  readonly httpGet?: HttpGetAction
  readonly tcpSocket?: { readonly port: number | string; readonly host?: string }
  readonly grpc?: { readonly port: number; readonly service?: string }
}

export interface Probe extends ProbeHandler {
  readonly initialDelaySeconds?: number
  readonly periodSeconds?: number
  readonly timeoutSeconds?: number
  readonly successThreshold?: number
  readonly failureThreshold?: number
  readonly terminationGracePeriodSeconds?: number
}

export interface LifecycleHandler extends ProbeHandler {
  readonly sleep?: { readonly seconds: number }
}

export interface SecurityContext {
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly privileged?: boolean
  readonly readOnlyRootFilesystem?: boolean
  readonly allowPrivilegeEscalation?: boolean
  readonly procMount?: string
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] }
  readonly seccompProfile?: { readonly type: string; readonly localhostProfile?: string }
  readonly appArmorProfile?: { readonly type: string; readonly localhostProfile?: string }
}

export interface Container {
  readonly name: string
  readonly image?: string
  readonly imagePullPolicy?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly env?: readonly EnvVar[]
  readonly envFrom?: readonly EnvFromSource[]
  readonly ports?: readonly ContainerPort[]
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList }
  readonly volumeMounts?: readonly VolumeMount[]
  readonly volumeDevices?: readonly { readonly name: string; readonly devicePath: string }[]
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly startupProbe?: Probe
  readonly lifecycle?: {
    readonly postStart?: LifecycleHandler
    readonly preStop?: LifecycleHandler
    readonly stopSignal?: string
  }
  readonly securityContext?: SecurityContext
  /** `Always` on an init container makes it a sidecar: started in order, not waited for. */
  readonly restartPolicy?: string
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: string
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
}

export interface ContainerStateTerminated {
  readonly exitCode: number
  readonly signal?: number
  readonly reason?: string
  readonly message?: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly containerID?: string
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string }
  readonly running?: { readonly startedAt?: string }
  readonly terminated?: ContainerStateTerminated
}

export interface ContainerStatus {
  readonly name: string
  readonly state?: ContainerState
  readonly lastState?: ContainerState
  readonly ready: boolean
  readonly restartCount: number
  readonly image: string
  readonly imageID: string
  readonly containerID?: string
  readonly started?: boolean
}
