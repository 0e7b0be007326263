/** What a source is written in. */
export type Language = 'hip' | 'opencl';
