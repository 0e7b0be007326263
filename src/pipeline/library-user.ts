/**
 * Whether a module lacks AMD's device libraries, and what their functions have to agree with. Functions are named
 * `__ocml_…` and `__ockl_…`, constants `__oclc_…`. Who lacks them goes to clang, which links them
 * (frontend/link-libraries.ts).
 */
import { LlvmModule } from '../binding/module.js';
import type { LlvmRuntime } from '../binding/runtime.js';
import type { LibraryCalls, LibraryUser } from '../job/library-user.js';
import type { JobOptions } from '../job/options.js';
import { parseTargetId } from '../job/target-id.js';
import { inFreshHeap } from './compilation.js';
import { checkKind } from './emit.js';

const LACKED = /^(?:declare [^@\n]*@__oc(?:ml|kl)_|@__oclc_\w+ = external )/m;

/** What a processor leaves open; all else that features say follows from it. */
const SETTING = /[+-](?:wavefrontsize(?:32|64)|xnack|sramecc|cumode|tgsplit)\b/g;

/** Of `float`, by itself or as of all types. Text of older versions of LLVM has it in words of its own, which stay. */
const FLUSHES =
  /^attributes #\d+ = \{.* (?:denormal_fpenv\((?:[^()\n]*float: )?preservesign[|\w]*\)|"denormal-fp-math-f32"="preserve)/m;

/** LLVM's own, for a module that names none. */
const DEFAULT_CODE_OBJECT_VERSION = 600;

/**
 * Null where nothing is lacking.
 *
 * @throws DarmError `bad-target` where there can be no libraries, because the module names no target or no processor
 */
export function libraryUser(runtime: LlvmRuntime, bytes: Uint8Array, options: JobOptions): LibraryUser | null {
  return inFreshHeap(runtime, () => {
    using module = LlvmModule.read(runtime, bytes, parseTargetId(options.mcpu), options.codegenLevel);
    if (!module.isAmdgcn) return null;
    // What is declared and not called is not missed.
    module.runPasses('strip-dead-prototypes');
    const text = new TextDecoder().decode(module.text());
    const calls = libraryCalls(text);
    if (calls === null) return null;
    module.requireOneProcessor();
    checkKind('hsaco', module);
    const [, sourceName = ''] = /^source_filename = "([^"\\\n]*)"$/m.exec(text) ?? [];
    return { bitcode: module.bitcode(), sourceName, triple: module.triple, cpu: module.cpu, calls };
  });
}

/**
 * Null where nothing is lacking.
 *
 * @param text as LLVM prints a module, without declarations that nothing uses
 */
export function libraryCalls(text: string): LibraryCalls | null {
  if (!LACKED.test(text)) return null;
  const [, features = ''] = /"target-features"="([^"\n]*)"/.exec(text) ?? [];
  const [, version] = /^!\d+ = !\{i32 \d+, !"amdhsa_code_object_version", i32 (\d+)\}$/m.exec(text) ?? [];
  return {
    // Of two about the same the later holds.
    settings: [...new Map(features.match(SETTING)?.map((each) => [each.slice(1), each])).values()],
    flushesDenormals: FLUSHES.test(text),
    codeObjectVersion: version === undefined ? DEFAULT_CODE_OBJECT_VERSION : Number(version),
  };
}
