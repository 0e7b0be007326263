import { i32, line, out } from '../launch.js';
import type { Family } from '../family.js';
import type { Inputs } from '../inputs.js';

/** Rows of a web matrix: most are short, a few long. */
const skewed = (d: Inputs, rows: number, most = 48) => {
  const { starts, columns } = d.skewedGraph(rows, most);
  return { starts, columns, values: d.floats(columns.length, -1, 1) };
};

export const sparse: Family = {
  csr_scalar: (d) => {
    const rows = d.count(1000);
    const { starts, columns, values } = skewed(d, rows);
    return line(rows, 128, out.f32(rows), starts, columns, values, d.normals(rows), i32(rows));
  },
  csr_adaptive: (d) => {
    const rows = d.count(500);
    const { starts, columns, values } = skewed(d, rows, 200);
    return line(rows, 64, out.f32(rows), starts, columns, values, d.normals(rows), i32(rows));
  },
  ell_padded: (d) => {
    const [rows, width] = [d.count(1000), 12];
    // Rows of a mesh have 5 to 9 entries, now and then up to 12.
    const lengths = Int32Array.from({ length: rows }, () => (d.chance(0.1) ? d.whole(9, 12) : d.whole(5, 9)));
    const columns = Int32Array.from({ length: rows * width }, (_, k) =>
      Math.floor(k / rows) < lengths[k % rows]! ? d.whole(0, rows - 1) : -1,
    );
    return line(rows, 128, out.f32(rows), columns, d.normals(rows * width), d.normals(rows), i32(rows), i32(width));
  },
  split_sweep: (d) => {
    const rows = d.count(1000);
    const { starts, columns, values } = skewed(d, rows, 24);
    return line(rows, 128, out.f32(rows), starts, columns, values, d.normals(rows), d.normals(rows), i32(rows));
  },
  sparse_dot: (d) => {
    const pairs = d.count(600);
    const { starts, columns } = d.sparse(2 * pairs, 60, () => d.whole(4, 20));
    return line(pairs, 128, out.f32(pairs), starts, columns, d.normals(columns.length), i32(pairs));
  },
  sparse_add: (d) => {
    const pairs = d.count(600);
    const { starts, columns } = d.sparse(2 * pairs, 50, () => d.whole(2, 16));
    const entries = columns.length;
    return line(
      pairs,
      128,
      out.i32(entries),
      out.f32(entries),
      out.i32(pairs),
      starts,
      columns,
      d.normals(entries),
      i32(pairs),
    );
  },
  threshold_entries: (d) => {
    const rows = d.count(1000);
    const { starts, columns, values } = skewed(d, rows, 24);
    return line(
      rows,
      128,
      out.f32(columns.length),
      out.i32(rows),
      starts,
      columns,
      values,
      d.floats(rows, 0, 5),
      i32(rows),
    );
  },
};
