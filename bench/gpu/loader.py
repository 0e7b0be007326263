#!/usr/bin/env python3
"""Launches PTX kernels on an NVIDIA GPU through libcuda, the driver's own library. No SDK is needed.

    loader.py --probe     says which GPU there is
    loader.py FOLDER      carries out FOLDER/manifest.json and writes FOLDER/results.json and the outputs

Exit status 3 and one line on standard error where there is no driver or no GPU.

The manifest is a list of launches: {"name", "kernel", "versions": {NAME: PTX FILE}, "grid", "block", "repeats",
"args": [{"file", "out"} | {"value": hexadecimal bytes}]}. Every version is launched on the same contents of the
buffers; its outputs go to NAME.VERSION.ARGUMENT.bin. With repeats, versions are timed in turn, each launch on its own
with fresh buffers: times are in microseconds. Files are relative to the folder.
"""
import ctypes
import json
import os
import sys

NO_GPU = 3
ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_BYTES = 5, 6
LOG_BYTES = 16384


class CudaError(Exception):
    pass


class NoGpu(Exception):
    pass


class Cuda:
    """The few functions of the driver's interface that launching takes."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise NoGpu(f"there is no libcuda: {error}") from None
        if self.library.cuInit(0) != 0:
            raise NoGpu("libcuda finds no GPU")
        self.device = ctypes.c_int()
        if self.library.cuDeviceGet(ctypes.byref(self.device), 0) != 0:
            raise NoGpu("libcuda finds no GPU")
        self.context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device)
        self.call("cuCtxSetCurrent", self.context)

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            raise CudaError(f"{name}: {(text.value or b'unknown error').decode()}")

    def device_name(self):
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), self.device)
        return name.value.decode()

    def load(self, ptx):
        module = ctypes.c_void_p()
        log = ctypes.create_string_buffer(LOG_BYTES)
        options = (ctypes.c_int * 2)(ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), LOG_BYTES)
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), ctypes.c_char_p(ptx), 2, options, values)
        except CudaError as error:
            raise CudaError(f"{error} {log.value.decode(errors='replace').strip()}") from None
        return module

    def function(self, module, name):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def allocate(self, contents):
        """Memory with these contents; at least one byte, since empty buffers have no address."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(1, len(contents))))
        self.write(address, contents)
        return address

    def write(self, address, contents):
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_char_p(contents), ctypes.c_size_t(len(contents)))

    def read(self, address, size):
        contents = ctypes.create_string_buffer(max(1, size))
        self.call("cuMemcpyDtoH_v2", contents, address, ctypes.c_size_t(size))
        return contents.raw[:size]

    def event(self):
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), 0)
        return event


class Launch:
    """One launch with its buffers, which are put back before every execution."""

    def __init__(self, cuda, folder, item):
        self.cuda, self.item, self.buffers = cuda, item, []
        self.before, self.after = cuda.event(), cuda.event()
        values = []
        for index, argument in enumerate(item["args"]):
            if "file" in argument:
                with open(os.path.join(folder, argument["file"]), "rb") as file:
                    contents = file.read()
                address = cuda.allocate(contents)
                # The pristine copy is only needed for what kernels write to.
                copy = cuda.allocate(contents)
                self.buffers.append((index, address, copy, len(contents), argument["out"]))
                values.append(address)
            else:
                raw = bytes.fromhex(argument["value"])
                values.append((ctypes.c_char * len(raw)).from_buffer_copy(raw))
        self.values = values
        self.parameters = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))

    def run(self, function):
        """Microseconds of one execution on fresh buffers."""
        cuda = self.cuda
        for _, address, copy, size, _ in self.buffers:
            cuda.call("cuMemcpyDtoD_v2", address, copy, ctypes.c_size_t(size))
        cuda.call("cuEventRecord", self.before, None)
        cuda.call(
            "cuLaunchKernel", function, *self.item["grid"], *self.item["block"], 0, None, self.parameters, None
        )
        cuda.call("cuEventRecord", self.after, None)
        cuda.call("cuEventSynchronize", self.after)
        elapsed = ctypes.c_float()
        cuda.call("cuEventElapsedTime", ctypes.byref(elapsed), self.before, self.after)
        return 1000 * elapsed.value

    def outputs(self):
        return [(index, self.cuda.read(address, size)) for index, address, _, size, out in self.buffers if out]

    def free(self):
        for _, address, copy, _, _ in self.buffers:
            self.cuda.call("cuMemFree_v2", address)
            self.cuda.call("cuMemFree_v2", copy)
        for event in (self.before, self.after):
            self.cuda.call("cuEventDestroy_v2", event)


def carry_out(cuda, folder, item, modules):
    functions = {}
    for version, file in item["versions"].items():
        if file not in modules:
            with open(os.path.join(folder, file), "rb") as ptx:
                modules[file] = cuda.load(ptx.read())
        functions[version] = cuda.function(modules[file], item["kernel"])
    launch = Launch(cuda, folder, item)
    for version, function in functions.items():
        launch.run(function)
        for index, contents in launch.outputs():
            with open(os.path.join(folder, f"{item['name']}.{version}.{index}.bin"), "wb") as file:
                file.write(contents)
    times = {version: [] for version in functions}
    for _ in range(item["repeats"]):
        for version, function in functions.items():
            times[version].append(launch.run(function))
    launch.free()
    return times


def main():
    if len(sys.argv) != 2:
        print("usage: loader.py --probe | FOLDER", file=sys.stderr)
        return 2
    try:
        cuda = Cuda()
    except (NoGpu, CudaError) as error:
        print(error, file=sys.stderr)
        return NO_GPU
    if sys.argv[1] == "--probe":
        print(cuda.device_name())
        return 0
    folder = sys.argv[1]
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    results, modules = {}, {}
    for item in manifest:
        try:
            results[item["name"]] = {"times": carry_out(cuda, folder, item, modules)}
        except CudaError as error:
            # After a fault of a kernel every call fails; so do the launches that follow, each with its message.
            results[item["name"]] = {"error": str(error)}
    temporary = os.path.join(folder, "results.json.part")
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump({"device": cuda.device_name(), "launches": results}, file)
    os.replace(temporary, os.path.join(folder, "results.json"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
