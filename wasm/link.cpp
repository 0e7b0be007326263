// lld in process: one relocatable object in the job's output becomes a shared code object there.
#include "abi.h"
#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

using namespace llvm;
using namespace darm;

// The files live in emscripten's memory file system. lld removes an old output on a thread, which there is none of: both
// files are removed here, before and after.
static constexpr const char *ObjectPath = "/kernel.o", *LinkedPath = "/kernel.hsaco";

DARM_EXPORT int darm_link(Job *job) {
  sys::fs::remove(ObjectPath);
  sys::fs::remove(LinkedPath);
  scope_exit cleanUp([] {
    sys::fs::remove(ObjectPath);
    sys::fs::remove(LinkedPath);
  });
  {
    std::error_code error;
    raw_fd_ostream object(ObjectPath, error);
    if (error)
      return job->fail(Internal, error.message());
    object.write(job->output.data(), job->output.size());
  }
  job->output.clear();
  std::string said, complained;
  raw_string_ostream out(said), err(complained);
  const char *arguments[] = {"ld.lld", "-shared", "--no-undefined", "--threads=1", ObjectPath, "-o", LinkedPath};
  lld::Result result = lld::lldMain(arguments, out, err, {{lld::Gnu, &lld::elf::link}});
  if (!result.canRunAgain)
    return job->fail(Internal, "lld cannot run again: " + complained);
  if (result.retCode != 0)
    return job->fail(LinkFailed, complained);
  auto linked = MemoryBuffer::getFile(LinkedPath);
  if (!linked)
    return job->fail(Internal, linked.getError().message());
  job->output.append((*linked)->getBufferStart(), (*linked)->getBufferEnd());
  return Ok;
}
