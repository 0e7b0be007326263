// LLVM's InMemoryFileSystem would take 0.1 s to fill with the 2,000 files of the image. The image is sorted by path, so
// that a search in it needs no preparation.
#include "files.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <emscripten.h>

using namespace llvm;

// What src/binding/frontend.ts answers: 0 nothing, 1 a folder, 2 a file, 3 something else. `facts` gets the size and a
// number that is the same for the same file under another name.
EM_JS(int, darm_host_stat, (const char *path, uint32_t *facts), {
  const found = Module['files'].stat(UTF8ToString(path));
  HEAPU32[facts >>> 2] = found.size;
  HEAPU32[(facts >>> 2) + 1] = found.id;
  return found.kind;
});

// Copies the content to `into`. 0 if it is not `size` bytes long, or cannot be read.
EM_JS(int, darm_host_read, (const char *path, char *into, uint32_t size), {
  const bytes = Module['files'].read(UTF8ToString(path));
  if (bytes === null || bytes.length !== size)
    return 0;
  HEAPU8.set(bytes, into >>> 0);
  return 1;
});

namespace {

constexpr StringLiteral Root = "/.darm/";

// wasm/frontend/make-image.mjs writes it: the number of files, then for each, in the order of the paths, where its path
// and its content begin and how long they are. A NUL byte follows every content.
class Image {
public:
  Image() = default;
  explicit Image(StringRef bytes) : bytes(bytes), count(word(0)) {}

  // The index of the first file whose path is not below `path`.
  uint32_t lowerBound(StringRef path) const {
    uint32_t low = 0, high = count;
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (pathOf(middle) < path)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  bool isFile(uint32_t index, StringRef path) const { return index < count && pathOf(index) == path; }
  bool isBelow(uint32_t index, StringRef folder) const { return index < count && pathOf(index).starts_with(folder); }
  StringRef pathOf(uint32_t index) const { return bytes.substr(word(1 + 4 * index), word(2 + 4 * index)); }
  StringRef contentOf(uint32_t index) const { return bytes.substr(word(3 + 4 * index), word(4 + 4 * index)); }

private:
  uint32_t word(uint32_t index) const { return support::endian::read32le(bytes.data() + 4 * index); }

  StringRef bytes;
  uint32_t count = 0;
};

Image image;

class OpenFile : public vfs::File {
public:
  OpenFile(vfs::Status status, std::unique_ptr<MemoryBuffer> buffer)
      : facts(std::move(status)), buffer(std::move(buffer)) {}

  ErrorOr<vfs::Status> status() override { return facts; }
  ErrorOr<std::unique_ptr<MemoryBuffer>> getBuffer(const Twine &, int64_t, bool, bool) override {
    return std::move(buffer);
  }
  std::error_code close() override { return {}; }
  void setPath(const Twine &path) override { facts = vfs::Status::copyWithNewName(facts, path); }

private:
  vfs::Status facts;
  std::unique_ptr<MemoryBuffer> buffer;
};

enum Device : uint64_t { HostDevice = 1, ImageDevice = 2 };

class SourceFiles : public vfs::FileSystem {
public:
  ErrorOr<vfs::Status> status(const Twine &name) override {
    SmallString<256> path;
    name.toVector(path);
    if (path.empty())
      return make_error_code(errc::no_such_file_or_directory);
    if (StringRef(path).starts_with("/.darm"))
      return imageStatus(path);
    uint32_t facts[2] = {0, 0};
    switch (darm_host_stat(path.c_str(), facts)) {
    case 1:
      return describe(path, {HostDevice, facts[1]}, 0, sys::fs::file_type::directory_file);
    case 2:
      return describe(path, {HostDevice, facts[1]}, facts[0], sys::fs::file_type::regular_file);
    case 3:
      return describe(path, {HostDevice, facts[1]}, 0, sys::fs::file_type::type_unknown);
    default:
      return make_error_code(errc::no_such_file_or_directory);
    }
  }

  ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const Twine &name) override {
    auto found = status(name);
    if (!found)
      return found.getError();
    if (found->isDirectory())
      return make_error_code(errc::is_a_directory);
    if (!found->isRegularFile())
      return make_error_code(errc::not_supported);
    SmallString<256> path;
    name.toVector(path);
    std::unique_ptr<MemoryBuffer> buffer;
    if (found->getUniqueID().getDevice() == ImageDevice) {
      buffer = MemoryBuffer::getMemBuffer(image.contentOf(found->getUniqueID().getFile()), path);
    } else {
      auto writable = WritableMemoryBuffer::getNewUninitMemBuffer(found->getSize(), path);
      if (!writable)
        return make_error_code(errc::not_enough_memory);
      if (!darm_host_read(path.c_str(), writable->getBufferStart(), found->getSize()))
        return make_error_code(errc::io_error);
      buffer = std::move(writable);
    }
    return std::make_unique<OpenFile>(*found, std::move(buffer));
  }

  // clang lists folders only for modules, which there are none of.
  vfs::directory_iterator dir_begin(const Twine &, std::error_code &error) override {
    error = make_error_code(errc::no_such_file_or_directory);
    return {};
  }
  std::error_code setCurrentWorkingDirectory(const Twine &) override { return make_error_code(errc::not_supported); }
  ErrorOr<std::string> getCurrentWorkingDirectory() const override { return std::string("/"); }

private:
  static vfs::Status describe(StringRef path, sys::fs::UniqueID id, uint64_t size, sys::fs::file_type type) {
    return vfs::Status(path, id, sys::TimePoint<>(), 0, 0, size, type, sys::fs::perms::all_read);
  }

  static ErrorOr<vfs::Status> imageStatus(StringRef name) {
    SmallString<256> path(name);
    sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    if (path == Root.drop_back())
      return describe(name, {ImageDevice, 1u << 31}, 0, sys::fs::file_type::directory_file);
    if (!StringRef(path).starts_with(Root))
      return make_error_code(errc::no_such_file_or_directory);
    StringRef inside = StringRef(path).drop_front(Root.size());
    uint32_t index = image.lowerBound(inside);
    if (image.isFile(index, inside))
      return describe(name, {ImageDevice, index}, image.contentOf(index).size(), sys::fs::file_type::regular_file);
    path += '/';
    inside = StringRef(path).drop_front(Root.size());
    index = image.lowerBound(inside);
    if (image.isBelow(index, inside))
      // A folder's number: that of its first file, apart from the files' own and from the depth of other folders.
      return describe(name, {ImageDevice + inside.count('/'), index}, 0, sys::fs::file_type::directory_file);
    return make_error_code(errc::no_such_file_or_directory);
  }
};

} // namespace

void darm::setImage(StringRef bytes) { image = Image(bytes); }

IntrusiveRefCntPtr<vfs::FileSystem> darm::sourceFiles() { return makeIntrusiveRefCnt<SourceFiles>(); }
