/** What a step throws when the program does something wrong; the executor adds kernel, pc, workgroup and wave. */
export class Fault extends Error {
  override readonly name = 'Fault';

  constructor(
    message: string,
    /** Lane at fault, -1 when it is the whole wavefront. */
    readonly lane = -1,
  ) {
    super(message);
  }
}
