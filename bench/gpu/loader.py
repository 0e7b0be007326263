#!/usr/bin/env python3
"""Launches PTX kernels on an NVIDIA GPU through libcuda, the driver's own library. No SDK is needed.

    loader.py --probe     says which GPU there is
    loader.py FOLDER      carries out FOLDER/manifest.json and writes FOLDER/results.json and the outputs

Exit status 3 and one line on standard error where there is no driver or no GPU.

The manifest is a list of launches: {"name", "kernel", "versions": {NAME: PTX FILE}, "grid", "block", "repeats",
"args": [{"file", "out"} | {"value": hexadecimal bytes}]}. Every version is launched on the same contents of the
buffers; its outputs go to NAME.VERSION.ARGUMENT.bin. With repeats, versions are timed in turn: one time, in
microseconds, is that of a graph of IN_A_ROW launches, each with fresh buffers of its own, divided by their number, so
that the start of a launch counts little. Files are relative to the folder.
"""
import ctypes
import json
import os
import sys

NO_GPU = 3
NO_DEVICE = 100
ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_BYTES = 5, 6
LOG_BYTES = 16384
IN_A_ROW = 8


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
        if self.library.cuInit(0) == NO_DEVICE:
            raise NoGpu("libcuda finds no GPU")
        self.call("cuInit", 0)
        self.device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        self.context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device)
        self.call("cuCtxSetCurrent", self.context)

    def call(self, name, *arguments):
        try:
            function = getattr(self.library, name)
        except AttributeError:
            raise CudaError(f"this driver has no {name}") from None
        status = function(*arguments)
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


class Buffers:
    """A set of a launch's buffers, which are put back before every execution, and the launch's parameters."""

    def __init__(self, cuda):
        self.cuda, self.all = cuda, []

    def fill(self, folder, item):
        cuda, values = self.cuda, []
        for index, argument in enumerate(item["args"]):
            if "file" in argument:
                with open(os.path.join(folder, argument["file"]), "rb") as file:
                    contents = file.read()
                address = cuda.allocate(contents)
                self.all.append((index, address, cuda.allocate(contents), len(contents), argument["out"]))
                values.append(address)
            else:
                raw = bytes.fromhex(argument["value"])
                values.append((ctypes.c_char * len(raw)).from_buffer_copy(raw))
        self.values = values
        self.parameters = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))

    def put_back(self, stream):
        for _, address, copy, size, _ in self.all:
            self.cuda.call("cuMemcpyDtoDAsync_v2", address, copy, ctypes.c_size_t(size), stream)

    def outputs(self):
        return [(index, self.cuda.read(address, size)) for index, address, _, size, out in self.all if out]

    def free(self):
        for _, address, copy, _, _ in self.all:
            self.cuda.call("cuMemFree_v2", address)
            self.cuda.call("cuMemFree_v2", copy)


class Launch:
    """An entry of the manifest."""

    def __init__(self, cuda, item):
        self.cuda, self.item = cuda, item
        self.stream = ctypes.c_void_p()
        cuda.call("cuStreamCreate", ctypes.byref(self.stream), 0)
        self.sets = [Buffers(cuda) for _ in range(IN_A_ROW if item["repeats"] > 0 else 1)]
        self.graphs = {}

    def fill(self, folder):
        for buffers in self.sets:
            buffers.fill(folder, self.item)

    def launch(self, function, buffers):
        grid, block = self.item["grid"], self.item["block"]
        self.cuda.call("cuLaunchKernel", function, *grid, *block, 0, self.stream, buffers.parameters, None)

    def outputs(self, function):
        """What one execution leaves."""
        first = self.sets[0]
        first.put_back(self.stream)
        self.launch(function, first)
        self.cuda.call("cuStreamSynchronize", self.stream)
        return first.outputs()

    def graph(self, function):
        cuda, graph, executable = self.cuda, ctypes.c_void_p(), ctypes.c_void_p()
        cuda.call("cuStreamBeginCapture_v2", self.stream, 0)
        for buffers in self.sets:
            self.launch(function, buffers)
        cuda.call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        cuda.call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_uint64(0))
        cuda.call("cuGraphDestroy", graph)
        return executable

    def time(self, graph, before, after):
        """Microseconds of one of the graph's launches, each on fresh buffers."""
        cuda = self.cuda
        for buffers in self.sets:
            buffers.put_back(self.stream)
        cuda.call("cuEventRecord", before, self.stream)
        cuda.call("cuGraphLaunch", graph, self.stream)
        cuda.call("cuEventRecord", after, self.stream)
        cuda.call("cuEventSynchronize", after)
        elapsed = ctypes.c_float()
        cuda.call("cuEventElapsedTime", ctypes.byref(elapsed), before, after)
        return 1000 * elapsed.value / len(self.sets)

    def times(self, functions):
        """By version, of which there are turns: the clock of a GPU changes."""
        for version, function in functions.items():
            self.graphs[version] = self.graph(function)
        before, after = self.cuda.event(), self.cuda.event()
        times = {version: [] for version in functions}
        for _ in range(self.item["repeats"]):
            for version, graph in self.graphs.items():
                times[version].append(self.time(graph, before, after))
        for event in (before, after):
            self.cuda.call("cuEventDestroy_v2", event)
        return times

    def free(self):
        for graph in self.graphs.values():
            self.cuda.call("cuGraphExecDestroy", graph)
        for buffers in self.sets:
            buffers.free()
        self.cuda.call("cuStreamDestroy_v2", self.stream)


def carry_out(cuda, folder, item, modules):
    functions = {}
    for version, file in item["versions"].items():
        if file not in modules:
            with open(os.path.join(folder, file), "rb") as ptx:
                modules[file] = cuda.load(ptx.read())
        functions[version] = cuda.function(modules[file], item["kernel"])
    launch = Launch(cuda, item)
    try:
        launch.fill(folder)
        for version, function in functions.items():
            for index, contents in launch.outputs(function):
                with open(os.path.join(folder, f"{item['name']}.{version}.{index}.bin"), "wb") as file:
                    file.write(contents)
        return launch.times(functions) if item["repeats"] > 0 else {}
    finally:
        launch.free()


def main():
    if len(sys.argv) != 2:
        print("usage: loader.py --probe | FOLDER", file=sys.stderr)
        return 2
    try:
        cuda = Cuda()
    except NoGpu as error:
        print(error, file=sys.stderr)
        return NO_GPU
    except CudaError as error:
        print(error, file=sys.stderr)
        return 1
    if sys.argv[1] == "--probe":
        print(cuda.device_name())
        return 0
    folder = sys.argv[1]
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    results, modules, device = {}, {}, cuda.device_name()
    for item in manifest:
        try:
            results[item["name"]] = {"times": carry_out(cuda, folder, item, modules)}
        except CudaError as error:
            # After a fault of a kernel every call fails; so do the launches that follow, each with its message.
            results[item["name"]] = {"error": str(error)}
    temporary = os.path.join(folder, "results.json.part")
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump({"device": device, "launches": results}, file)
    os.replace(temporary, os.path.join(folder, "results.json"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
