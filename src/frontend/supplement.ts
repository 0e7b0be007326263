/**
 * Headers in front of the C++ library's, which the package's image lacks or which guard against HIP's. They are text
 * here, so that clang's file system (files.ts) has them in memory.
 *
 * HIP's headers define a macro `__local` (hip/amd_detail/device_library_decls.h) and libc++ names functions so: a
 * `<deque>`, `<queue>`, `<stack>` or `<regex>` behind `hip_runtime.h` would not parse. The library's headers that use
 * the name are read without the macro, which is there again afterwards.
 *
 * HIP has functions `__all` and `__match_any`, and so does libc++, in `std`: behind `using namespace std`, a call would
 * be ambiguous. libc++'s are read by another name.
 *
 * GNU's <ios> and <memory> include <exception>, and programs rely on it.
 *
 * musl says `nullptr` where GNU's library, and clang itself, say `__null` for `NULL`: programs compare it with numbers,
 * cast it and return it as one. And libraries that know libc++ call its namespace `_VSTD`. libc++ has lost that name.
 *
 * In C++26, libc++'s placement delete is constexpr, which makes it a function of the device, too; clang's wrapper of
 * <new> has another one for the device. Where there are clang's wrappers, it is the host's.
 *
 * Host code written for GNU's library and for OpenMP includes headers that neither libc++ nor musl has. What they
 * declare is declared here: host code is parsed, and never called.
 */

/** Where they lie. */
export const SUPPLEMENT_FOLDER = '/.supplement';

/** libc++'s headers with functions of the name `__local`. */
export const LOCAL_USERS = [
  '__algorithm/copy.h', '__algorithm/copy_backward.h', '__algorithm/equal.h', '__algorithm/find_segment_if.h',
  '__algorithm/for_each_n_segment.h', '__algorithm/for_each_segment.h', '__algorithm/move.h',
  '__algorithm/move_backward.h', '__iterator/segmented_iterator.h', '__ranges/join_view.h', 'deque',
]; // prettier-ignore

/** libc++'s headers with a name that a function of HIP's has, by that name. */
export const NAMESAKES: Readonly<Record<string, readonly string[]>> = {
  __all: ['__functional/hash.h', '__ranges/all.h', '__type_traits/conjunction.h', 'array', 'tuple', 'variant'],
  __match_any: ['regex'],
};

const withMacro = (name: string, macro: string, change: string): string => `#pragma once
#pragma push_macro("${macro}")
${change}
#include_next <${name}>
#pragma pop_macro("${macro}")
`;

const withoutLocal = (name: string): string => withMacro(name, '__local', '#undef __local');
const renamed = (name: string, namesake: string): string =>
  withMacro(name, namesake, `#define ${namesake} __std${namesake}`);

/** Headers that include <exception> in GNU's library. */
const THROWING = ['ios', 'memory'];

const withExceptions = (name: string): string => `#pragma once
#include_next <${name}>
#include <exception>
`;

/** The C library's headers that define `NULL`. */
export const NULL_DEFINERS = ['locale.h', 'stdio.h', 'stdlib.h', 'string.h', 'time.h', 'unistd.h', 'wchar.h'];

/** Read as often as it is included: so are the library's own, some of which give less at first. */
const withNull = (name: string): string => `#include_next <${name}>
#ifdef __cplusplus
#undef NULL
#define NULL __null
#endif
`;

const CONFIG = `#pragma once
#include_next <__config>
#define _VSTD std
`;

const PLACEMENT = `#pragma once
#include <__config>
#include <__cstddef/size_t.h>
#if _LIBCPP_STD_VER < 26 || !defined(__CLANG_HIP_RUNTIME_WRAPPER_H__)
#include_next <__new/placement_new_delete.h>
#else
[[nodiscard]] inline _LIBCPP_HIDE_FROM_ABI constexpr void *operator new(std::size_t, void *place) noexcept {
  return place;
}
[[nodiscard]] inline _LIBCPP_HIDE_FROM_ABI constexpr void *operator new[](std::size_t, void *place) noexcept {
  return place;
}
inline _LIBCPP_HIDE_FROM_ABI void operator delete(void *, void *) noexcept {}
inline _LIBCPP_HIDE_FROM_ABI void operator delete[](void *, void *) noexcept {}
#endif
`;

/** Those of the standard; libc++ has more in its folder, and refuses <stdatomic.h> and others before C++23. */
const STANDARD = `algorithm any array atomic bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
clocale cmath codecvt complex condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime
cuchar cwchar cwctype deque exception execution filesystem forward_list fstream functional future initializer_list
iomanip ios iosfwd iostream istream iterator limits list locale map memory memory_resource mutex new numeric optional
ostream queue random ratio regex scoped_allocator set shared_mutex sstream stack stdexcept streambuf string string_view
system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector`;
/** Those of C++20, which say nothing before it. */
const NEWER = 'barrier bit compare concepts coroutine latch numbers ranges semaphore source_location span stop_token version'; // prettier-ignore

const including = (names: string): string =>
  names.split(/\s+/).map((name) => `#include <${name}>\n`).join(''); // prettier-ignore

const EVERYTHING = `#pragma once
${including(STANDARD)}#if __cplusplus >= 202002L
${including(NEWER)}#endif
`;

/** The runtime's functions; `-fopenmp` concerns host code only, as in clang's driver for HIP. */
const OPENMP = `#pragma once
#ifdef __cplusplus
extern "C" {
#endif
typedef struct omp_lock_t { void *lock; } omp_lock_t;
typedef struct omp_nest_lock_t { void *lock; } omp_nest_lock_t;
typedef enum omp_sched_t { omp_sched_static = 1, omp_sched_dynamic, omp_sched_guided, omp_sched_auto } omp_sched_t;
void omp_set_num_threads(int);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
void omp_set_dynamic(int);
int omp_get_dynamic(void);
void omp_set_nested(int);
int omp_get_nested(void);
void omp_set_schedule(omp_sched_t, int);
void omp_get_schedule(omp_sched_t *, int *);
int omp_get_thread_limit(void);
void omp_set_max_active_levels(int);
int omp_get_max_active_levels(void);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_num_devices(void);
int omp_get_default_device(void);
void omp_set_default_device(int);
int omp_is_initial_device(void);
int omp_get_num_teams(void);
int omp_get_team_num(void);
void omp_init_lock(omp_lock_t *);
void omp_destroy_lock(omp_lock_t *);
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
int omp_test_lock(omp_lock_t *);
void omp_init_nest_lock(omp_nest_lock_t *);
void omp_destroy_nest_lock(omp_nest_lock_t *);
void omp_set_nest_lock(omp_nest_lock_t *);
void omp_unset_nest_lock(omp_nest_lock_t *);
int omp_test_nest_lock(omp_nest_lock_t *);
double omp_get_wtime(void);
double omp_get_wtick(void);
#ifdef __cplusplus
}
#endif
`;

const DEMANGLER = `#pragma once
#include <stddef.h>
namespace __cxxabiv1 {
extern "C" char *__cxa_demangle(const char *mangled, char *output, size_t *length, int *status);
}
namespace abi = __cxxabiv1;
`;

const BACKTRACE = `#pragma once
extern "C" {
int backtrace(void **, int);
char **backtrace_symbols(void *const *, int);
void backtrace_symbols_fd(void *const *, int, int);
}
`;

/** By the name in `#include`. */
export const SUPPLEMENT: ReadonlyMap<string, string> = new Map([
  ...LOCAL_USERS.map((name) => [name, withoutLocal(name)] as const),
  ...Object.entries(NAMESAKES).flatMap(([namesake, names]) =>
    names.map((name) => [name, renamed(name, namesake)] as const),
  ),
  ...THROWING.map((name) => [name, withExceptions(name)] as const),
  ...NULL_DEFINERS.map((name) => [name, withNull(name)] as const),
  ['__config', CONFIG],
  ['__new/placement_new_delete.h', PLACEMENT],
  ['bits/stdc++.h', EVERYTHING],
  ['omp.h', OPENMP],
  ['cxxabi.h', DEMANGLER],
  ['execinfo.h', BACKTRACE],
]);
