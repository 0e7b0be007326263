/**
 * A module that calls AMD's device libraries and does not have them, as plain data: what clang is to link them into.
 */
export interface LibraryUser {
  readonly bitcode: Uint8Array<ArrayBuffer>;
  /** The module's name for its source. */
  readonly sourceName: string;
  readonly triple: string;
  readonly cpu: string;
  readonly calls: LibraryCalls;
}

/** With what the functions of the libraries have to agree. */
export interface LibraryCalls {
  /** The functions' own settings of their processor, as `+wavefrontsize64` and `-xnack`. */
  readonly settings: readonly string[];
  /** Whether `float` has no denormals. */
  readonly flushesDenormals: boolean;
  /** As the module flag has it: 500 for version 5. */
  readonly codeObjectVersion: number;
}
