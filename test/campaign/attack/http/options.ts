/**
 * Options that are no options: prototypes, depth, size, odd types and values; also as many times as a batch has
 * modules.
 */
import { base64, tinyKernel } from '../../../support/service.js';
import { fetchAttack, type Attack, type FetchAttack } from './attack.js';

const MODULE = tinyKernel(1);
const LINES = { 'Content-Type': 'application/x-ndjson' };

const query = (text: string): FetchAttack => ({ path: `/v1/compile?${text}`, body: MODULE });

/** The text of the options, which need not be JSON, as a part of a form. */
const form = (options: string): FetchAttack => {
  const body = new FormData();
  body.append('module', new Blob([MODULE]), 'a.ll');
  body.append('options', options);
  return { path: '/v1/compile', body };
};

/** A batch of one module, whose line begins so; its error is in the answer's line. */
const line = (members: string, expected: RegExp): FetchAttack => ({
  path: '/v1/batch',
  body: `{${members},"module":"${base64(MODULE)}"}\n`,
  headers: LINES,
  check: (text) => (expected.test(text) && text.includes('"done":true') ? null : `unexpected: ${text.slice(0, 300)}`),
});

/** After an attack on prototypes, plain objects are still plain: a form without options compiles with the defaults. */
const POLLUTION = '{"__proto__":{"emit":["ll"],"polluted":true},"constructor":{"prototype":{"polluted":true}}}';

const queries = ['__proto__=x', '__proto__[emit]=ll', 'constructor=x', 'constructor.prototype.emit=ll', 'toString=x', 'hasOwnProperty=x', 'emit=__proto__', 'emit[]=hsaco', 'emit', 'emit=hsaco&emit=hsaco', 'emit=fatbin', 'threshold=Infinity', 'threshold=NaN', 'threshold=0x1', 'once=1', 'codegenLevel=4', 'mcpu=', 'mcpu=a&mcpu=b', 'timeout=-1', 'timeout=0', 'timeout=NaN', 'timeout=1,2', 'functions=', 'report=TRUE'].map((text) =>
  fetchAttack(`the query ${text}`, [400], query(text)),
); // prettier-ignore

const targets = ['../../etc/passwd', '-mllvm', 'gfx906;rm', 'gfx906\0', '\x1b[2Jgfx906', 'gfx906:xnack+:xnack-', 'gfx906:'.repeat(100), 'x86-64', 'help', 'gfx' + '9'.repeat(8000)].map((target) =>
  fetchAttack(`the target ${JSON.stringify(target.slice(0, 20))}`, [400, 422], query(`mcpu=${encodeURIComponent(target)}`)),
); // prettier-ignore

const forms = (
  [
    ['prototypes', POLLUTION],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number', '1e999'],
    ['nothing', ''],
    ['no JSON', '{emit:1}'],
    ['depth', '{"emit":' + '['.repeat(100_000) + ']'.repeat(100_000) + '}'],
    ['depth that is not closed', '{"a":'.repeat(200_000)],
    ['a list of 200,000 kinds', JSON.stringify({ emit: Array.from({ length: 200_000 }, () => 'hsaco') })],
    ['an unknown option of 1 MB', JSON.stringify({ ['x'.repeat(2 ** 20)]: 1 })],
    ['an option whose value is 1 MB', JSON.stringify({ meld: 'x'.repeat(2 ** 20) })],
    ['a target of 1 MB', JSON.stringify({ mcpu: 'g'.repeat(2 ** 20) })],
    ['a length that lies', '{"emit":{"length":1,"0":"hsaco"}}'],
    ['a function to meld that is a prototype', '{"functions":["__proto__",{}]}'],
    ['a limit as text', '{"timeout":"60000"}'],
    ['a limit that is an object', '{"timeout":{"valueOf":1}}'],
    ['a key twice', '{"emit":["hsaco"],"emit":5}'],
  ] as const
).map(([name, options]) => fetchAttack(`options: ${name}`, [400, 422], () => form(options)));

const fine: readonly Attack[] = [
  fetchAttack('100,000 functions to meld', [422], () => ({
    ...form(JSON.stringify({ functions: Array.from({ length: 100_000 }, (_, i) => `f${i}`) })),
    most: 2 ** 20,
  })),
  fetchAttack('a limit beyond 2^31', [200], () => ({ ...form('{"timeout":1e300}'), most: 2 ** 20 })),
];

const lines: readonly Attack[] = [
  fetchAttack('a line with prototypes', [200], line(`"options":${POLLUTION}`, /"code":"usage"/)),
  fetchAttack('a line with a prototype as a member', [200], line('"__proto__":{"name":"x"}', /"code":"malformed-request"|"done":true,"succeeded":1/)), // prettier-ignore
  fetchAttack('a line whose name is a prototype', [200], line('"name":"__proto__"', /"succeeded":1/)),
  fetchAttack('a line whose name is a terminal', [200], line('"name":"\\u001b]0;x\\u0007"', /"succeeded":1/)),
  fetchAttack('a line with half a surrogate', [200], line('"name":"\\ud800"', /"succeeded":1/)),
  fetchAttack('a line that is deep', [200], line('"options":{"emit":' + '['.repeat(50_000) + ']'.repeat(50_000) + '}', /"code":"(usage|malformed-request)"/)), // prettier-ignore
  fetchAttack('an unknown option of 1 MB for 500 modules', [200, 400], () => ({
    path: `/v1/batch`,
    ...manyForms(500, JSON.stringify({ ['x'.repeat(2 ** 20)]: 1 })),
    most: 2 ** 20,
  })),
  fetchAttack('an impossible value of 1 MB for 500 modules', [200, 400], () => ({
    path: `/v1/batch`,
    ...manyForms(500, JSON.stringify({ meld: 'x'.repeat(2 ** 20) })),
    most: 2 ** 20,
  })),
  // A name that the client chose comes back, once.
  fetchAttack('a name of 1 MB in a line', [200, 400], () => ({
    ...line(`"name":"${'n'.repeat(2 ** 20)}"`, /"done":true/),
    most: 2 ** 20 + 65536,
  })),
];

function manyForms(count: number, options: string): Pick<FetchAttack, 'body'> {
  const body = new FormData();
  for (let i = 0; i < count; i++) body.append('m', new Blob(['x']), `${i}.ll`);
  body.append('options', options);
  return { body };
}

export const OPTIONS: readonly Attack[] = [...queries, ...targets, ...forms, ...fine, ...lines];
