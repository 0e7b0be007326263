// Executes kernels that were rewritten for the host (execute-host.ts) and compares the memory of several builds.
//
//   driver DATA [RESULTS] < COMMANDS
//
// DATA has the initial contents of all buffers. RESULTS gets the contents that the first build leaves, kernel by
// kernel, and zeros for kernels that fail. COMMANDS are lines:
//
//     lib PATH                a build; the first one is the reference
//     kernel NAME GX GY GZ BX BY BZ ARGS
//     buffer OFFSET BYTES OUT an argument: BYTES bytes of DATA, compared after the run if OUT is 1
//     scalar BITS             an argument, as an unsigned 64-bit number
//     run
//
// For every kernel and build it prints a line:
//
//     NAME LIB same | differs ARG OFFSET EXPECTED GOT | signal N | hang | missing
//
// The threads of a workgroup are coroutines that switch only at barriers. Workgroups run one after the other, so LDS is
// ordinary memory that is overwritten before each workgroup. Each run is a process of its own, in which buffers end at
// an unmapped page.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { MOST_LIBS = 16, MOST_ARGS = 32, MOST_THREADS = 1024, STACK = 64 << 10, PAGE = 4096, LIMIT_SECONDS = 3 };

struct Lib { char path[1024]; void *handle; };
struct Arg { int isBuffer, out; size_t offset, bytes; uint64_t bits; uint8_t *memory, *expected; };

static struct Lib libs[MOST_LIBS];
static struct Arg args[MOST_ARGS];
static int libCount, argCount;
static uint32_t grid[3], block[3], workgroup[3];
static uint8_t *data;
static FILE *results;
static uint32_t *barriers; // per workgroup and thread, shared with the parent

static ucontext_t scheduler, threads[MOST_THREADS];
static char *stacks, state[MOST_THREADS]; // 0 ready, 1 at a barrier, 2 finished
static uint32_t current;
static void (*entry)(void **);
static void *slots[MOST_ARGS];
static uint8_t implicitArguments[256], dispatchPacket[64];

uint32_t host_workitem_id_x(void) { return current % block[0]; }
uint32_t host_workitem_id_y(void) { return current / block[0] % block[1]; }
uint32_t host_workitem_id_z(void) { return current / block[0] / block[1]; }
uint32_t host_workgroup_id_x(void) { return workgroup[0]; }
uint32_t host_workgroup_id_y(void) { return workgroup[1]; }
uint32_t host_workgroup_id_z(void) { return workgroup[2]; }
void *host_implicitarg_ptr(void) { return implicitArguments; }
void *host_dispatch_ptr(void) { return dispatchPacket; }
// Threads run one at a time, so each is the first active lane of its wave. That is the same in all builds.
uint32_t host_readfirstlane(uint32_t value) { return value; }

void host_barrier(void) {
  uint32_t self = current, group = (workgroup[2] * grid[1] + workgroup[1]) * grid[0] + workgroup[0];
  ++barriers[group * MOST_THREADS + self];
  state[self] = 1;
  swapcontext(&threads[self], &scheduler);
}

static void threadMain(void) {
  entry(slots);
  state[current] = 2;
  setcontext(&scheduler);
}

static void runWorkgroup(void) {
  uint32_t count = block[0] * block[1] * block[2], finished = 0;
  for (uint32_t t = 0; t < count; ++t) {
    getcontext(&threads[t]);
    threads[t].uc_stack.ss_sp = stacks + (size_t)t * STACK;
    threads[t].uc_stack.ss_size = STACK;
    threads[t].uc_link = NULL;
    makecontext(&threads[t], threadMain, 0);
    state[t] = 0;
  }
  while (finished < count) {
    finished = 0;
    for (current = 0; current < count; ++current)
      if (state[current] == 0)
        swapcontext(&scheduler, &threads[current]);
    for (uint32_t t = 0; t < count; ++t) {
      if (state[t] == 2)
        ++finished;
      else
        state[t] = 0;
    }
  }
}

static void runGrid(struct Lib *lib, const char *kernel) {
  char name[512];
  snprintf(name, sizeof name, "host.%s", kernel);
  entry = (void (*)(void **))dlsym(lib->handle, name);
  void *(*ldsBegin)(void) = (void *(*)(void))dlsym(lib->handle, "host.lds.begin");
  void *(*ldsEnd)(void) = (void *(*)(void))dlsym(lib->handle, "host.lds.end");
  if (!entry || !ldsBegin || !ldsEnd)
    _exit(77);
  for (int i = 0; i < argCount; ++i)
    slots[i] = args[i].isBuffer ? (void *)&args[i].memory : (void *)&args[i].bits;
  for (int i = 0; i < 3; ++i) {
    uint16_t size = (uint16_t)block[i];
    uint32_t total = grid[i] * block[i];
    memcpy(implicitArguments + 4 * i, &grid[i], 4);
    memcpy(implicitArguments + 12 + 2 * i, &size, 2);
    memcpy(dispatchPacket + 4 + 2 * i, &size, 2);
    memcpy(dispatchPacket + 12 + 4 * i, &total, 4);
  }
  for (workgroup[2] = 0; workgroup[2] < grid[2]; ++workgroup[2])
    for (workgroup[1] = 0; workgroup[1] < grid[1]; ++workgroup[1])
      for (workgroup[0] = 0; workgroup[0] < grid[0]; ++workgroup[0]) {
        uint8_t *lds = ldsBegin();
        memset(lds, 0xCD, (size_t)((uint8_t *)ldsEnd() - lds));
        runWorkgroup();
      }
}

static size_t pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

static void runKernel(const char *kernel) {
  size_t barrierBytes = (size_t)grid[0] * grid[1] * grid[2] * MOST_THREADS * 4;
  barriers = mmap(NULL, barrierBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  uint32_t *expectedBarriers = malloc(barrierBytes);
  uint8_t *maps[MOST_ARGS] = {0};
  for (int i = 0; i < argCount; ++i) {
    struct Arg *arg = &args[i];
    if (!arg->isBuffer)
      continue;
    size_t size = pages(arg->bytes);
    maps[i] = mmap(NULL, size + 2 * PAGE, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    mprotect(maps[i] + PAGE, size, PROT_READ | (arg->out ? PROT_WRITE : 0) | PROT_WRITE);
    arg->memory = maps[i] + PAGE + size - arg->bytes;
    arg->expected = calloc(arg->bytes ? arg->bytes : 1, 1);
  }
  for (int l = 0; l < libCount; ++l) {
    for (int i = 0; i < argCount; ++i)
      if (args[i].isBuffer)
        memcpy(args[i].memory, data + args[i].offset, args[i].bytes);
    memset(barriers, 0, barrierBytes);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      struct itimerval limit = {{0, 0}, {LIMIT_SECONDS, 0}};
      setitimer(ITIMER_VIRTUAL, &limit, NULL);
      runGrid(&libs[l], kernel);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("%s %d ", kernel, l);
    if (WIFSIGNALED(status)) {
      if (WTERMSIG(status) == SIGVTALRM)
        printf("hang\n");
      else
        printf("signal %d\n", WTERMSIG(status));
      if (l == 0)
        break;
      continue;
    }
    if (WEXITSTATUS(status) != 0) {
      printf("missing\n");
      continue;
    }
    if (l == 0) {
      for (int i = 0; i < argCount; ++i)
        if (args[i].isBuffer)
          memcpy(args[i].expected, args[i].memory, args[i].bytes);
      memcpy(expectedBarriers, barriers, barrierBytes);
      printf("same\n");
      continue;
    }
    int differs = 0;
    for (int i = 0; i < argCount && !differs; ++i) {
      if (!args[i].isBuffer || !memcmp(args[i].expected, args[i].memory, args[i].bytes))
        continue;
      size_t at = 0;
      while (args[i].expected[at] == args[i].memory[at])
        ++at;
      at &= ~(size_t)3;
      uint32_t expected = 0, got = 0;
      size_t n = args[i].bytes - at < 4 ? args[i].bytes - at : 4;
      memcpy(&expected, args[i].expected + at, n);
      memcpy(&got, args[i].memory + at, n);
      printf("differs %d %zu %08x %08x\n", i, at, expected, got);
      differs = 1;
    }
    if (!differs && memcmp(expectedBarriers, barriers, barrierBytes)) {
      printf("differs -1 0 0 0\n"); // the threads met other barriers
      differs = 1;
    }
    if (!differs)
      printf("same\n");
  }
  for (int i = 0; i < argCount; ++i)
    if (args[i].isBuffer) {
      if (results)
        fwrite(args[i].expected, 1, args[i].bytes, results);
      munmap(maps[i], pages(args[i].bytes) + 2 * PAGE);
      free(args[i].expected);
    }
  munmap(barriers, barrierBytes);
  free(expectedBarriers);
}

int main(int argc, char **argv) {
  int file = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  struct stat info;
  if (file < 0 || fstat(file, &info) != 0)
    return 2;
  data = info.st_size ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
  if (argc > 2 && !(results = fopen(argv[2], "wb")))
    return 2;
  stacks = mmap(NULL, (size_t)MOST_THREADS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char line[2048], kernel[512] = "";
  while (fgets(line, sizeof line, stdin)) {
    struct Arg *arg = &args[argCount];
    if (sscanf(line, "lib %1000s", libs[libCount].path) == 1) {
      libs[libCount].handle = dlopen(libs[libCount].path, RTLD_NOW | RTLD_LOCAL);
      if (!libs[libCount].handle) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
      }
      ++libCount;
    } else if (sscanf(line, "kernel %500s %u %u %u %u %u %u", kernel, &grid[0], &grid[1], &grid[2], &block[0], &block[1], &block[2]) == 7) {
      argCount = 0;
    } else if (sscanf(line, "buffer %zu %zu %d", &arg->offset, &arg->bytes, &arg->out) == 3) {
      arg->isBuffer = 1;
      ++argCount;
    } else if (sscanf(line, "scalar %lu", &arg->bits) == 1) {
      arg->isBuffer = 0;
      ++argCount;
    } else if (!strncmp(line, "run", 3)) {
      runKernel(kernel);
    } else {
      fprintf(stderr, "not understood: %s", line);
      return 2;
    }
  }
  return results && fclose(results) ? 2 : 0;
}
