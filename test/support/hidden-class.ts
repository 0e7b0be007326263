/** V8's hidden classes. */
import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--allow-natives-syntax');
const areOfOne = vm.runInThisContext('(a, b) => %HaveSameMap(a, b)') as (a: object, b: object) => boolean;
// V8 compiles a function when it is first called.
areOfOne({}, {});
v8.setFlagsFromString('--no-allow-natives-syntax');

/** Whether all objects have the same hidden class: the same keys, made in the same order and in the same way. */
export const haveOneHiddenClass = ([first, ...others]: readonly [object, ...object[]]): boolean =>
  others.every((each) => areOfOne(first, each));
