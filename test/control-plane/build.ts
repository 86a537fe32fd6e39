/** `npx tsx test/control-plane/build.ts`: builds the programs of the real control plane that are missing, before a tier needs them. */
import { findOrBuildBinaries } from './binaries.ts'

const binaries = findOrBuildBinaries()
process.stderr.write(
  typeof binaries === 'string' ? `no real control plane: ${binaries}\n` : 'control plane programs are there\n',
)
