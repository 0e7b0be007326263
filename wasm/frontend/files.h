// The files that clang sees: the package's image of headers and device libraries under `/.darm`, and everything else from
// the host, which decides what there is.
#pragma once

#include "llvm/Support/VirtualFileSystem.h"

namespace darm {

// The image stays where it is: the buffers of its files point into it.
void setImage(llvm::StringRef image);

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> sourceFiles();

} // namespace darm
