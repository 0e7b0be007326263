import { concatenate, latin1, type Inputs } from '../inputs.js';
import { i32, line, out } from '../launch.js';
import type { Family } from '../family.js';

const texts = (n: number, make: () => string) => concatenate(Array.from({ length: n }, () => latin1(make())));

const digits = (d: Inputs, count: number): string => Array.from({ length: count }, () => d.whole(0, 9)).join('');
const padded = (value: number, width: number): string => String(value).padStart(width, '0');

function json(d: Inputs, depth: number): string {
  if (depth === 0 || d.chance(0.3))
    return d.chance(0.5) ? String(d.whole(0, 9999)) : d.chance(0.1) ? '"a\\"b"' : '"word"';
  const members = Array.from({ length: d.whole(1, 3) }, () => json(d, depth - 1));
  return d.chance(0.3) ? `[${members.join()}]` : `{${members.map((each, k) => `"k${k}":${each}`).join()}}`;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export const parse: Family = {
  parse_integers: (d) => {
    const n = d.count(1500);
    const { text, starts } = texts(n, () => {
      const sign = d.chance(0.2) ? '-' : d.chance(0.05) ? '+' : '';
      if (d.chance(0.15)) return `${sign}0x${d.whole(0, 2 ** 28).toString(16)}${d.chance(0.05) ? 'z' : ''}`;
      return sign + (d.chance(0.03) ? 'n/a' : d.chance(0.01) ? '' : String(d.skewed(99999999)));
    });
    return line(n, 128, out.i32(n), out.u8(n), text, starts, i32(n));
  },
  parse_reals: (d) => {
    const n = d.count(1500);
    const { text, starts } = texts(n, () => {
      const exponent = d.chance(0.1) ? `e${d.chance(0.5) ? '-' : ''}${d.whole(1, 12)}` : '';
      return `${d.chance(0.3) ? '-' : ''}${d.skewed(9999)}${d.chance(0.8) ? `.${digits(d, d.whole(1, 5))}` : ''}${exponent}`;
    });
    return line(n, 128, out.f32(n), text, starts, i32(n));
  },
  csv_fields: (d) => {
    const n = d.count(500);
    const field = () => (d.chance(0.15) ? `"${digits(d, 3)}, ""${digits(d, 2)}"""` : digits(d, d.skewed(8)));
    const { text, starts } = texts(n, () => Array.from({ length: d.whole(4, 8) }, field).join());
    return line(n, 64, out.i32(n), out.i32(n), text, starts, i32(n));
  },
  json_depth: (d) => {
    const n = d.count(400);
    const { text, starts } = texts(n, () => json(d, 3).slice(0, 100));
    return line(n, 64, out.i32(n), out.i32(n), text, starts, i32(n));
  },
  utf8_validate: (d) => {
    const n = d.count(600);
    // Mostly ASCII lines, some in other scripts, a few damaged.
    const list = Array.from({ length: n }, () => {
      const other = d.chance(0.3);
      const characters = Array.from({ length: d.whole(8, 32) }, () =>
        String.fromCodePoint(
          !other || d.chance(0.2)
            ? d.whole(32, 126)
            : d.chance(0.7)
              ? d.whole(0x400, 0x44f)
              : d.chance(0.8)
                ? d.whole(0x4e00, 0x5e00)
                : 0x1f600,
        ),
      );
      const bytes = Uint8Array.from(Buffer.from(characters.join('')));
      if (d.chance(0.05)) bytes[d.whole(0, bytes.length - 1)] = d.whole(0x80, 0xff);
      if (d.chance(0.03)) bytes.set([0xed, 0xa0, 0x80], 0);
      return bytes;
    });
    const { text, starts } = concatenate(list);
    return line(n, 64, out.i32(n), text, starts, i32(n));
  },
  utf16_encode: (d) => {
    const n = d.count(4000);
    const codes = Uint32Array.from({ length: n }, () =>
      d.chance(0.9) ? d.whole(32, 0xd7ff) : d.chance(0.9) ? d.whole(0x10000, 0x1ffff) : d.whole(0xd800, 0xdfff),
    );
    return line(n, 256, out.u32(n), out.u8(n), codes, i32(n));
  },
  base64_decode: (d) => {
    const quads = d.count(1500);
    const text = latin1(
      Array.from({ length: 4 * quads }, () => (d.chance(0.003) ? '\n' : d.pick([...BASE64]))).join(''),
    );
    text.fill(0x3d, text.length - 2);
    return line(quads, 256, out.u8(3 * quads), out.i32(1), text, i32(quads));
  },
  url_decode: (d) => {
    const n = d.count(500);
    const { text, starts } = texts(n, () =>
      Array.from({ length: d.whole(5, 40) }, () =>
        d.chance(0.08) ? `%${d.pick(['20', '2F', '3a', 'e4'])}` : d.chance(0.05) ? '+' : d.pick(['a', 'e', '/', '1']),
      ).join(''),
    );
    return line(n, 64, out.u8(text.length), out.i32(n), text, starts, i32(n));
  },
  title_case: (d) => {
    const n = d.count(4000);
    const text = d.prose(n).map((c) => (d.chance(0.1) && c >= 97 && c <= 122 ? c - 32 : c));
    return line(n, 256, out.u8(n), text, i32(n));
  },
  parse_instants: (d) => {
    const n = d.count(1000);
    const text = Array.from({ length: n }, () => {
      const [month, day] = d.chance(0.03) ? [13, 32] : [d.whole(1, 12), d.whole(1, 30)];
      const date = `${d.whole(1971, 2037)}-${padded(month, 2)}-${padded(day, 2)}`;
      return `${date}T${padded(d.whole(0, 23), 2)}:${padded(d.whole(0, 59), 2)}:${padded(d.whole(0, 59), 2)}Z`;
    }).join('');
    return line(n, 128, out.i32(n), latin1(text), i32(n));
  },
};
