/** JSON with what it lacks: large integers, minus zero, numbers that are not finite, bytes. */

const BYTES = '$bytes';
const INTEGER = '$integer';
const NUMBER = '$number';

export function encodeExact(value: unknown): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify(value, function (this: Record<string, unknown>, name: string, given: unknown) {
      // Before what `toJSON` has made of it.
      const own = this[name];
      if (own instanceof Uint8Array) return { [BYTES]: Buffer.from(own).toString('base64') };
      if (typeof own === 'bigint') return { [INTEGER]: String(own) };
      if (typeof own === 'number' && (!Number.isFinite(own) || Object.is(own, -0)))
        return { [NUMBER]: Object.is(own, -0) ? '-0' : String(own) };
      return given;
    }),
  );
}

/** @throws SyntaxError */
export function decodeExact(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes), (_, value: unknown) => {
    const { [BYTES]: base64, [INTEGER]: integer, [NUMBER]: number } = Object(value) as Record<string, unknown>;
    if (typeof base64 === 'string') return new Uint8Array(Buffer.from(base64, 'base64'));
    if (typeof integer === 'string') return BigInt(integer);
    if (typeof number === 'string') return Number(number);
    return value;
  });
}
