/**
 * What flags say of floating point: each sets or takes back some of a few settings, and the last one wins. This is
 * clang's driver's way (`RenderFloatingPointOptions` in clang/lib/Driver/ToolChains/Clang.cpp, and
 * `CommonBitcodeLibsPreferences` in AMDGPU.h for the device libraries).
 */
import type { Language } from './language.js';

/** What `-cc1` is told. */
interface Settings {
  infinities: boolean;
  nans: boolean;
  signedZeros: boolean;
  approximate: boolean;
  associative: boolean;
  reciprocal: boolean;
  trapping: boolean;
  rounding: boolean;
  exceptions: 'ignore' | 'maytrap' | 'strict' | null;
  /** Null: the language's default. `restored`: what there was before fast mathematics. */
  contract: string | null;
  complexRange: string | null;
  /** Functions set `errno`, so they are called as functions, which the device libraries lack. */
  errno: boolean;
}

const STRICT_IEEE = {
  infinities: true,
  nans: true,
  signedZeros: true,
  approximate: false,
  associative: false,
  reciprocal: false,
} as const;
const UNSAFE = { signedZeros: false, approximate: true, associative: true, reciprocal: true } as const;
/** What fast mathematics does not go together with. */
const NO_TRAPS = { trapping: false, exceptions: null } as const;
const FAST = { ...UNSAFE, ...NO_TRAPS, rounding: false, contract: 'fast', errno: false } as const;
const FASTEST = { ...FAST, infinities: false, nans: false, complexRange: 'basic' } as const;

const CHANGES: ReadonlyMap<string, Partial<Settings>> = new Map(Object.entries<Partial<Settings>>({
  '-fhonor-infinities': { infinities: true },
  '-fno-honor-infinities': { infinities: false },
  '-fhonor-nans': { nans: true },
  '-fno-honor-nans': { nans: false },
  '-ffinite-math-only': { infinities: false, nans: false },
  '-fno-finite-math-only': { infinities: true, nans: true },
  '-fsigned-zeros': { signedZeros: true },
  '-fno-signed-zeros': { signedZeros: false },
  '-fapprox-func': { approximate: true },
  '-fno-approx-func': { approximate: false },
  '-fassociative-math': { associative: true },
  '-fno-associative-math': { associative: false },
  '-freciprocal-math': { reciprocal: true },
  '-fno-reciprocal-math': { reciprocal: false },
  '-ftrapping-math': { trapping: true, exceptions: 'strict' },
  '-fno-trapping-math': { trapping: false, exceptions: 'ignore' },
  '-frounding-math': { rounding: true },
  '-fno-rounding-math': { rounding: false },
  '-ffp-exception-behavior=ignore': { trapping: false, exceptions: 'ignore' },
  '-ffp-exception-behavior=maytrap': { trapping: true, exceptions: 'maytrap' },
  '-ffp-exception-behavior=strict': { trapping: true, exceptions: 'strict' },
  '-ffp-model=precise': { ...STRICT_IEEE, ...NO_TRAPS, rounding: false, contract: 'on', complexRange: 'full', errno: false },
  '-ffp-model=strict': { ...STRICT_IEEE, trapping: true, exceptions: 'strict', rounding: true, contract: 'off', complexRange: 'full', errno: false },
  '-ffp-model=fast': { ...FAST, infinities: true, nans: true, complexRange: 'promoted' },
  '-ffp-model=aggressive': FASTEST,
  '-funsafe-math-optimizations': { ...UNSAFE, ...NO_TRAPS, contract: 'fast' },
  '-fno-unsafe-math-optimizations': { signedZeros: true, approximate: false, associative: false, reciprocal: false },
  '-ffast-math': FASTEST,
  '-fno-fast-math': { ...STRICT_IEEE, complexRange: null, errno: false },
  '-Ofast': FASTEST,
  '-fcx-limited-range': { complexRange: 'basic' },
  '-fno-cx-limited-range': { complexRange: 'full' },
  '-fmath-errno': { errno: true },
  '-fno-math-errno': { errno: false },
})); // prettier-ignore

/** They set contraction, and what takes them back sets it back: to what was given, or to HIP's `fast`. */
const CONTRACTING = /^(-ffast-math|-funsafe-math-optimizations|-Ofast|-ffp-model=(fast|aggressive))$/;
const UNCONTRACTING = /^-fno-(fast-math|unsafe-math-optimizations)$/;
const CONTRACT = /^-ffp-contract=(on|off|fast|fast-honor-pragmas)$/;
const COMPLEX = /^-fcomplex-arithmetic=(full|improved|promoted|basic)$/;

export class FloatingPoint {
  readonly #settings: Settings = {
    ...STRICT_IEEE,
    ...NO_TRAPS,
    rounding: false,
    contract: null,
    complexRange: null,
    errno: false,
  };
  /** The last `-ffp-contract`. */
  #givenContract: string | null = null;
  #isContractedByOthers = false;
  /** The last of each of these flags and its opposite. */
  #isFast = false;
  #isUnsafe = false;
  #isFinite = false;
  /** `-fgpu-approx-transcendentals`; null when not given. */
  #isTranscendentalFast: boolean | null = null;
  /** OpenCL C's flags for the device libraries. */
  #isRelaxed = false;

  /** Whether this flag is about floating point; then it has been taken. */
  take(flag: string): boolean {
    const settings = this.#settings;
    const contract = CONTRACT.exec(flag)?.[1];
    const complexRange = COMPLEX.exec(flag)?.[1];
    const change = CHANGES.get(flag);
    const transcendental = /^-f(no-)?(gpu|cuda)-approx-transcendentals$/.exec(flag);
    if (transcendental !== null) this.#isTranscendentalFast = transcendental[1] === undefined;
    else if (contract !== undefined) {
      settings.contract = this.#givenContract = contract;
      this.#isContractedByOthers = false;
    } else if (complexRange !== undefined) settings.complexRange = complexRange;
    else if (change === undefined) return false;
    else Object.assign(settings, change);
    if (CONTRACTING.test(flag)) this.#isContractedByOthers = true;
    if (UNCONTRACTING.test(flag) && this.#isContractedByOthers) settings.contract = 'restored';
    this.#noteLibraries(flag);
    return true;
  }

  /** Of flags that `-cc1` takes, too. */
  noteOpenClFlag(flag: string): void {
    if (/^-cl-(fast-relaxed-math|unsafe-math-optimizations)$/.test(flag)) this.#isRelaxed = true;
    if (/^-cl-(fast-relaxed-math|finite-math-only)$/.test(flag)) this.#isFinite = true;
  }

  #noteLibraries(flag: string): void {
    const isOn = !flag.startsWith('-fno-');
    if (/^-f(no-)?fast-math$/.test(flag)) this.#isFast = isOn;
    if (/^-f(no-)?unsafe-math-optimizations$/.test(flag)) this.#isUnsafe = isOn;
    if (/^-f(no-)?finite-math-only$/.test(flag)) this.#isFinite = isOn;
  }

  get unsafeLibraries(): boolean {
    return this.#isUnsafe || this.#isFast || this.#isRelaxed;
  }

  get finiteLibraries(): boolean {
    return this.#isFinite || this.#isFast;
  }

  #contract(language: Language): string | null {
    const { contract } = this.#settings;
    if (contract !== null && contract !== 'restored') return contract;
    if (language === 'opencl') return (contract && this.#givenContract) ?? 'on';
    return contract && 'fast';
  }

  /** For `-cc1`. */
  arguments(language: Language): string[] {
    const { infinities, nans, signedZeros, approximate, associative, reciprocal } = this.#settings;
    const { trapping, rounding, exceptions, complexRange, errno } = this.#settings;
    const isReassociated = associative && !signedZeros && !trapping;
    const isUnsafe = isReassociated && reciprocal && approximate;
    const contract = this.#contract(language);
    const words: string[] = [];
    const add = (condition: boolean, ...each: string[]): void => void (condition && words.push(...each));
    add(!infinities, '-menable-no-infs');
    add(!nans, '-menable-no-nans');
    add(errno, '-fmath-errno');
    add(approximate, '-fapprox-func');
    add(isUnsafe, '-funsafe-math-optimizations');
    add(!signedZeros, '-fno-signed-zeros');
    add(isReassociated, '-mreassociate');
    add(reciprocal, '-freciprocal-math');
    add(contract !== null, `-ffp-contract=${contract}`);
    words.push(rounding ? '-frounding-math' : '-fno-rounding-math');
    add(exceptions !== null, `-ffp-exception-behavior=${exceptions}`);
    // These say what the macros __FAST_MATH__ and __FINITE_MATH_ONLY__ are.
    add(!infinities && !nans && !errno && isUnsafe && !rounding, '-ffast-math');
    add(!infinities && !nans, '-ffinite-math-only');
    add(complexRange !== null, `-complex-range=${complexRange}`);
    add(language === 'hip' && (this.#isTranscendentalFast ?? this.#isFast), '-fgpu-approx-transcendentals');
    return words;
  }
}
