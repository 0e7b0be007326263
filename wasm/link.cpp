// lld in process: the relocatable object in the job's output, and those that were added, become one shared code object.
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

// The files live in emscripten's memory file system. lld removes an old output on a thread, which there is none of: all
// files are removed here, before and after. src/binding/file-access.ts knows their names.
static constexpr const char *LinkedPath = "/kernel.hsaco";

static std::string objectPath(size_t index) { return index == 0 ? "/kernel.o" : "/kernel" + std::to_string(index) + ".o"; }

// Gives the next link one more object.
DARM_EXPORT void darm_add_object(Job *job, const char *data, size_t size) { job->objects.emplace_back(data, size); }

DARM_EXPORT int darm_link(Job *job) {
  std::vector<std::string> objects = std::move(job->objects);
  job->objects.clear();
  if (!job->output.empty())
    objects.insert(objects.begin(), std::string(job->output.begin(), job->output.end()));
  job->output.clear();
  auto removeFiles = [count = objects.size()] {
    for (size_t index = 0; index < count; index++)
      sys::fs::remove(objectPath(index));
    sys::fs::remove(LinkedPath);
  };
  removeFiles();
  scope_exit cleanUp(removeFiles);
  std::vector<std::string> paths;
  for (std::string &bytes : objects) {
    paths.push_back(objectPath(paths.size()));
    std::error_code error;
    raw_fd_ostream object(paths.back(), error);
    if (error)
      return job->fail(Internal, error.message());
    object.write(bytes.data(), bytes.size());
    bytes = {};
  }
  std::string said, complained;
  raw_string_ostream out(said), err(complained);
  std::vector<const char *> arguments = {"ld.lld", "-shared", "--no-undefined", "--threads=1"};
  for (const std::string &path : paths)
    arguments.push_back(path.c_str());
  arguments.insert(arguments.end(), {"-o", LinkedPath});
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
