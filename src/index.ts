/** The library: GPU-kernel bitcode in, melded bitcode and code objects out. */
export { createCompiler } from './compiler/compiler.js';
export type {
  CallOptions,
  CompiledModule,
  CompiledSource,
  Compiler,
  CompilerOptions,
  InspectedModule,
  ModuleCompiler,
  ModuleSession,
  PreprocessedSource,
  Progress,
  SimulationCall,
  SourceCallOptions,
  SourceResult,
  TranslatedSource,
  TuneCall,
  TunedKernel,
  TuneOptions,
  TuneProgress,
  TuneResult,
  UnsupportedOperation,
} from './compiler/api.js';
export type { Language } from './frontend/language.js';
export type { SourceCompileOptions, SourceOptions } from './frontend/options.js';
export {
  DarmError,
  type ErrorCode,
  type ErrorData,
  type SourceDiagnostic,
  type SourceLocation,
  type SourceMessages,
} from './errors.js';
export {
  compileContainer,
  compileFatBinary,
  type ContainerOptions,
  type FatBinaryImage,
  type FatBinaryOptions,
  type FatBinaryResult,
} from './compiler/fat-binary.js';
export type { CodeObjectInfo, KernelArgument, KernelDescriptor, KernelInfo } from './formats/code-object.js';
export { readContainer, replaceImages, type Container } from './formats/offload/container.js';
export type { ContainerImageInfo, ContainerInfo, ContainerPartInfo } from './formats/offload/describe.js';
export type { OffloadImage } from './formats/offload/image.js';
export { DEFAULT_OPTIONS, type Emit, type JobOptions, type MeldPoint, type OptimizeLevel } from './job/options.js';
export type { MeldKind, MeldMode, ProfitModel, Unpredication } from './melding/plan.js';
export type {
  CandidateRemark,
  DebugLocation,
  FailureRemark,
  FunctionRemark,
  Remark,
  LoweredRemark,
  SwitchRemark,
} from './job/remarks.js';
export type {
  FunctionHistory,
  FunctionPicture,
  HistoryStep,
  MeldedPlace,
  PictureBlock,
  SelectedOperands,
} from './job/history.js';
export type { Counters, InstructionRow } from './simulator/counters.js';
export { parseSpec, type LaunchSpec, type ReadFile } from './simulator/launch/spec.js';
export type { SimulationOptions } from './simulator/options.js';
export type { LaunchResult, SimulatedBuffer, SimulationResult } from './simulator/run.js';
export type { RemoteCacheReport, RemoteCacheSetting } from './remote-cache/setting.js';
export type { TierPolicy } from './workers/tier-policy.js';
export type {
  AnalyzeResult,
  Artifact,
  CompileResult,
  Counts,
  FunctionAnalysis,
  FunctionReport,
  ModuleInfo,
} from './job/results.js';
