/** What every field of a RolloutPolicy's status means, by its path: for `kubectl explain` and for scripts. */
import type { Sentences } from './descriptions.ts'

export const statusSentences: Sentences = {
  '': 'State of the rollout; only the operator writes it.',
  observedGeneration: 'The generation of the policy that the status is about.',
  conditions:
    'Ready when nothing is to be done, Reconciling while a rollout is under way, Stalled when a person has to do something.',
  gate: 'How changed templates are held: policies, webhook or at-rest.',
  template:
    'The template of the workload when this was written; a later one that passed without hooks is told from it.',
  'template.uid': 'Uid of the workload.',
  'template.hash': 'Hash of the template.',
  'template.revision': 'The ReplicaSet or ControllerRevision of the template, once it exists.',
  history: 'Ended rollouts, newest first; as many as spec.historyLimit.',
  rollout: 'The rollout under way, or the last one.',
  'rollout.id': 'Id of the rollout: the value of the annotations that request a retry, an abort or an undo.',
  'rollout.type':
    'ROLLOUT to a new revision, ROLLBACK to an older one, UNDO back from one that did not complete, RESTART of the same one, CREATE for the first.',
  'rollout.phase':
    'Pending: no new pod yet. Progressing: on its way to a point, or waiting there. Finishing: the gate is open. Complete, Aborted, Cancelled: it has ended.',
  'rollout.point': 'The point that the rollout is at or moves to.',
  'rollout.waitingFor': 'The hooks that the rollout waits for.',
  'rollout.from': 'The ReplicaSet or ControllerRevision it comes from; absent in the first rollout.',
  'rollout.to': 'The ReplicaSet or ControllerRevision that is rolled out.',
  'rollout.templateHash': 'Hash of the template that is rolled out.',
  'rollout.workload': 'Which state of the workload the operator had observed when it wrote this.',
  'rollout.workload.uid': 'Uid of the workload.',
  'rollout.workload.generation': 'Generation of the workload.',
  'rollout.startedAt': 'When the operator observed the changed template.',
  'rollout.endedAt': 'When it ended; absent while it is under way.',
  'rollout.message': 'Progress of the rollout, or how it ended.',
  'rollout.moved': 'Whether pods may have changed since the last rollout that was completed.',
  'rollout.movingSince':
    'Since when it is on its way to its point: the progress deadline counts from here, or from the last pod that became available.',
  'rollout.saved': 'Fields of the workload that the gate needs, as their owner had them; restored at the end.',
  'rollout.undo': 'What the undo goes back to.',
  'rollout.undo.to': 'The ReplicaSet or ControllerRevision to go back to.',
  'rollout.undo.templateHash': 'Hash of its template.',
  'rollout.undoOf': 'Id of the rollout that this one undoes.',
  'rollout.hooks': 'Its hooks in the order of their points.',
  'rollout.hooks[].name': 'The name of the hook.',
  'rollout.hooks[].point': 'When it runs: a number of pods, a percentage, mid, post or aborted.',
  'rollout.hooks[].state':
    'Pending before its turn and between attempts, Running, Succeeded, Failed, Ignored when it failed and its policy ignores failures, Cancelled with its rollout.',
  'rollout.hooks[].attempts': 'How often it was started.',
  'rollout.hooks[].disruptions':
    'How many attempts ended because Kubernetes took the pod away; they do not count for the failure policy.',
  'rollout.hooks[].starter': 'The operator that started the last attempt.',
  'rollout.hooks[].object': 'The Job or pod of the last attempt.',
  'rollout.hooks[].object.kind': 'Job or Pod.',
  'rollout.hooks[].object.name': 'Its name.',
  'rollout.hooks[].object.uid': 'Its uid.',
  'rollout.hooks[].startedAt': 'When the last attempt started.',
  'rollout.hooks[].endedAt': 'When it ended.',
  'rollout.hooks[].retryAt': 'When the next attempt starts.',
  'rollout.hooks[].reason': 'Why the last attempt failed, as one word, such as Timeout or Lost.',
  'rollout.hooks[].message': 'Why it failed, how the approval was answered, or the message of the approval.',
}
