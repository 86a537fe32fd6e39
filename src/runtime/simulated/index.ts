/** The simulated runtime: deterministic, with faults and a trace. Nothing here needs Node.js. */
export type { Domain } from './domain.ts'
export type { Fault, FaultPlan, RequestMatch } from './fault-plan.ts'
export { type FaultWorld, withFaults } from './faults.ts'
export type { LogRecord } from './log.ts'
export type { ProcessScript, ScriptedProcess } from './processes.ts'
export { createSimulation, type Simulation, type SimulationOptions } from './simulation.ts'
export type { Trace } from './trace.ts'
export type { PlayedModule } from './workers.ts'
