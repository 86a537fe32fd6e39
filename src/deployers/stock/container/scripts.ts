/**
 * The scripts of the `init` and `wait` containers. `init` lays out the input files. `wait` waits for the user's container to end and stores
 * its results: first the state in chunks that fit into secrets, then one secret that marks the results as complete. Only `wait` can reach
 * the API server.
 */
import { folders } from './paths.ts'

/** Secrets are limited to 1 MiB; this leaves room for base64 and metadata. */
const chunkSize = '700k'

export const initScript = `set -eu
mkdir -p "$(dirname "$IMPORTS_PATH")" "$(dirname "$EXPORTS_PATH")" "$STATE_PATH" "$CONTENT_PATH"
given=${folders.internal}
cp "$given/import.json" "$IMPORTS_PATH"
if [ -e "$given/component_descriptor.json" ]; then cp "$given/component_descriptor.json" "$COMPONENT_DESCRIPTOR_PATH"; fi
if [ -d "$given/content" ]; then cp -RL "$given/content/." "$CONTENT_PATH/"; fi
if ls ${folders.chunks}/* >/dev/null 2>&1; then cat ${folders.chunks}/* | tar -xzf - -C "$STATE_PATH"; fi
`

/** POD and RUN come from the environment. The token of the container may create secrets but not read them. */
export const waitScript = `set -eu
ended='{.status.containerStatuses[?(@.name=="main")].state.terminated.exitCode}'
code=
until [ -n "$code" ]; do
  code=$(kubectl get pod "$POD" -o jsonpath="$ended") || code=
  [ -n "$code" ] || sleep 1
done
work=$(mktemp -d)
cd "$work"
if [ -n "$(ls -A "$STATE_PATH")" ]; then
  tar -czf - -C "$STATE_PATH" . | split -b ${chunkSize} -a 4 - chunk-
fi
list=
for file in chunk-*; do
  [ -e "$file" ] || continue
  name="$RUN-\${file#chunk-}"
  kubectl create secret generic "$name" --from-file=chunk="$file" >/dev/null
  list="$list $name"
done
printf %s "$list" > chunks
set -- --from-file=chunks=chunks
if [ -e "$EXPORTS_PATH" ]; then set -- "$@" --from-file=config="$EXPORTS_PATH"; fi
kubectl create secret generic "$RUN-result" "$@" >/dev/null
`
