import { f32, groups, i32, inOut, line, out, plane } from '../launch.js';
import type { Family } from '../family.js';
import type { Inputs } from '../inputs.js';

/** Triangles of a grid of points that are moved a little, in an order of their own. */
function triangulation(
  d: Inputs,
  width: number,
  height: number,
): { points: Float32Array; corners: Int32Array; neighbours: Int32Array } {
  const points = new Float32Array(2 * (width + 1) * (height + 1));
  for (let y = 0; y <= height; y++)
    for (let x = 0; x <= width; x++) {
      const inX = x > 0 && x < width ? d.real(-0.38, 0.38) : 0;
      const inY = y > 0 && y < height ? d.real(-0.38, 0.38) : 0;
      points.set([x + inX, y + inY], 2 * (y * (width + 1) + x));
    }
  const triangles = 2 * width * height;
  const order = d.permutation(triangles);
  const name = (x: number, y: number, upper: number) =>
    x < 0 || y < 0 || x >= width || y >= height ? -1 : order[2 * (y * width + x) + upper]!;
  const [corners, neighbours] = [new Int32Array(3 * triangles), new Int32Array(3 * triangles)];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const corner = y * (width + 1) + x;
      const opposite = corner + width + 2;
      corners.set([corner, corner + 1, opposite], 3 * name(x, y, 0));
      neighbours.set([name(x, y - 1, 1), name(x + 1, y, 1), name(x, y, 1)], 3 * name(x, y, 0));
      corners.set([corner, opposite, opposite - 1], 3 * name(x, y, 1));
      neighbours.set([name(x, y, 0), name(x, y + 1, 0), name(x - 1, y, 0)], 3 * name(x, y, 1));
    }
  return { points, corners, neighbours };
}

/** A tree of squares over bodies: children are nodes, -1 for none, or -2 - body; nodes have centre, mass and width². */
function quadTree(bodies: Float32Array, size: number): { children: Int32Array; nodes: Float32Array } {
  const children: number[] = [];
  const nodes: number[] = [];
  const build = (inside: readonly number[], x: number, y: number, width: number): number => {
    const node = children.length / 4;
    children.push(-1, -1, -1, -1);
    let [mass, mx, my] = [0, 0, 0];
    for (const body of inside) {
      const m = bodies[3 * body + 2]!;
      mass += m;
      mx += m * bodies[3 * body]!;
      my += m * bodies[3 * body + 1]!;
    }
    nodes.push(mx / mass, my / mass, mass, width * width);
    const half = width / 2;
    for (let quarter = 0; quarter < 4; quarter++) {
      const part = inside.filter(
        (body) => Number(bodies[3 * body]! >= x + half) + 2 * Number(bodies[3 * body + 1]! >= y + half) === quarter,
      );
      if (part.length === 0) continue;
      children[4 * node + quarter] =
        part.length === 1 || width < size * 1e-5
          ? -2 - part[0]!
          : build(part, x + half * (quarter & 1), y + half * (quarter >> 1), half);
    }
    return node;
  };
  build(
    Array.from({ length: bodies.length / 3 }, (_, body) => body),
    0,
    0,
    size,
  );
  return { children: Int32Array.from(children), nodes: Float32Array.from(nodes) };
}

export const polybench: Family = {
  tridiagonal_pcr: (d) => {
    const [systems, stride] = [d.count(12), 128];
    const length = systems * stride;
    return groups(
      systems,
      128,
      out.f32(length),
      d.floats(length, -1, -0.2),
      d.floats(length, 2.2, 3),
      d.floats(length, -1, -0.2),
      d.floats(length, -5, 5),
      Int32Array.from({ length: systems }, () => d.pick([128, 128, 100, 96, 65, 40])),
      i32(stride),
    );
  },
  triangular_batch: (d) => {
    const [n, most] = [d.count(800), 12];
    const matrices = Float32Array.from({ length: most * most * n }, (_, k) => {
      const place = Math.floor(k / n);
      return place % (most + 1) === 0 ? d.real(1, 3) : d.real(-0.5, 0.5);
    });
    const orders = Uint8Array.from({ length: n }, () => d.pick([12, 12, 8, 6, 3]));
    const flags = d.bytes(n, 0, 3);
    return line(n, 128, out.f32(most * n), matrices, d.floats(most * n, -1, 1), flags, orders, i32(most), i32(n));
  },
  nussinov_spans: (d) => {
    const [strands, stride] = [d.count(16), 36];
    const lengths = Int32Array.from({ length: strands }, () => d.whole(18, stride));
    const outs = [out.i32(strands), out.u8(strands * stride * stride)];
    return groups(strands, 64, ...outs, d.bytes(strands * stride, 0, 3), lengths, i32(stride));
  },
  correlation_gaps: (d) => {
    const [columns, rows] = [d.side(40), 48];
    const trends = d.normals(rows * 3);
    const data = Float32Array.from({ length: rows * columns }, (_, k) => {
      const [row, column] = [Math.floor(k / columns), k % columns];
      return column % 9 === 8 ? 4 : trends[3 * row + (column % 3)]! + 0.7 * d.normal();
    });
    // Some stations report rarely.
    const present = Uint8Array.from(data, (_, k) => Number(d.chance((k % columns) % 5 === 4 ? 0.3 : 0.92)));
    return plane([columns, columns], [16, 8], out.f32(columns * columns), data, present, i32(rows), i32(columns));
  },
  delaunay_cavity: (d) => {
    const { points, corners, neighbours } = triangulation(d, d.side(28), d.side(24));
    const [n, most] = [corners.length / 3, 12];
    const outs = [out.i32(most * n), out.i32(n), out.f32(2 * n)];
    return line(n, 128, ...outs, points, corners, neighbours, f32(0.12), i32(most), i32(n));
  },
  barnes_hut_force: (d) => {
    const n = d.count(600);
    const bodies = new Float32Array(3 * n);
    const middles = Array.from({ length: 5 }, () => [d.real(3, 13), d.real(3, 13)] as const);
    const inside = (value: number) => Math.min(15.9, Math.max(0.1, value));
    const places = Array.from({ length: n }, () => {
      const [x, y] = d.pick(middles);
      return [inside(x + 1.2 * d.normal()), inside(y + 1.2 * d.normal())] as const;
    });
    // Bodies are numbered roughly along a curve, as the program sorts them.
    places.sort((a, b) => Math.floor(a[0] / 2) - Math.floor(b[0] / 2) || a[1] - b[1]);
    places.forEach(([x, y], i) => bodies.set([x, y, d.real(0.5, 2)], 3 * i));
    const { children, nodes } = quadTree(bodies, 16);
    return line(n, 64, out.f32(2 * n), out.i32(n), bodies, children, nodes, f32(0.64), i32(n));
  },
  survey_messages: (d) => {
    const [variables, clauses] = [d.count(300), d.count(1260)];
    const literals = new Int32Array(3 * clauses);
    const occurrences: number[][] = Array.from({ length: variables }, () => []);
    for (let edge = 0; edge < 3 * clauses; edge++) {
      const variable = d.whole(0, variables - 1);
      literals[edge] = (variable + 1) * (d.chance(0.5) ? 1 : -1);
      occurrences[variable]!.push(edge);
    }
    const starts = [0];
    for (const each of occurrences) starts.push(starts.at(-1)! + each.length);
    const survey = d.floats(3 * clauses, 0, 0.6).map((value) => (d.chance(0.3) ? 0 : value));
    return line(
      clauses,
      128,
      out.f32(3 * clauses),
      out.i32(1),
      survey,
      literals,
      d.flags(variables, 0.15),
      Int32Array.from(starts),
      Int32Array.from(occurrences.flat()),
      f32(0.01),
      i32(clauses),
    );
  },
  points_to_step: (d) => {
    const [words, constraints] = [6, d.count(1500)];
    const variables = 32 * words;
    const before = new Uint32Array(variables * words);
    for (let v = 0; v < variables; v++)
      for (let k = d.skewed(10); k > 0; k--) {
        const target = d.whole(0, variables - 1);
        before[v * words + (target >> 5)]! |= 1 << (target & 31);
      }
    const kind = Uint8Array.from({ length: constraints }, () => d.pick([0, 0, 0, 1, 1, 1, 1, 2, 2, 3]));
    const [left, right] = [d.ints(constraints, 0, variables - 1), d.ints(constraints, 0, variables - 1)];
    const outs = [inOut(before.slice()), out.i32(1)];
    return line(constraints, 128, ...outs, before, kind, left, right, i32(words), i32(constraints));
  },
  boruvka_lightest: (d) => {
    const nodes = d.count(2000);
    const { starts, columns } = d.skewedGraph(nodes, 40);
    // Components of a later round: some are large.
    const component = Int32Array.from({ length: nodes }, () => d.skewed(120));
    const weights = Uint16Array.from(columns, () => d.whole(1, 2000));
    const lightest = new Uint32Array(121).fill(0xffffffff);
    return line(nodes, 128, inOut(lightest), out.i32(nodes), component, starts, columns, weights, i32(nodes));
  },
  adi_sweep: (d) => {
    const [lines, length] = [d.count(900), 24];
    const source = d.picture(lines, length);
    const closed = Uint8Array.from(d.runs(lines, 10, 0, 1));
    const outs = [out.f32(lines * length), out.f32(2 * lines * length)];
    return line(lines, 128, ...outs, source, closed, f32(0.8), i32(lines), i32(length));
  },
};
