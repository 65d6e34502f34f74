#!/usr/bin/env python3
"""Compiles cuda/kernels/*.cu with the pinned NVRTC, to a file cuda/ptx/*.ptx for each kernel.

    ptx.py            write the PTX
    ptx.py --check    compare it with what is committed; exit 1 if it differs

Runs in the environment that requirements.txt describes; needs neither a device nor a
host compiler. ptxas assembles the result for Ampere and Hopper and reports registers.
"""
import ctypes
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent.parent
nvidia = pathlib.Path(importlib.util.find_spec("nvidia").submodule_search_locations[0])
nvrtc = ctypes.CDLL(str(nvidia / "cuda_nvrtc/lib/libnvrtc.so.12"))
ptxas = nvidia / "cu13/bin/ptxas"


def call(name, *arguments):
    if code := getattr(nvrtc, name)(*arguments):
        raise SystemExit(f"ptx.py: {name} failed with {code}")


def text(program, what):
    size = ctypes.c_size_t()
    call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    call(f"nvrtcGet{what}", program, buffer)
    return buffer.value.decode()


# What a file is compiled for, and what it is assembled for then. Tensor cores as Hopper has them are in no
# later architecture.
targets = {"tensor": ("compute_90a", ["sm_90a"])}
others = "compute_80", ["sm_80", "sm_90"]


def compile(path, architecture):
    headers = sorted((here / "kernels").glob("*.cuh"))
    program = ctypes.c_void_p()
    call("nvrtcCreateProgram", ctypes.byref(program), path.read_bytes(), path.name.encode(), len(headers),
         (ctypes.c_char_p * len(headers))(*(h.read_bytes() for h in headers)),
         (ctypes.c_char_p * len(headers))(*(h.name.encode() for h in headers)))
    options = [f"--gpu-architecture={architecture}".encode(), b"--std=c++17"]
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    log = text(program, "ProgramLog").strip()
    if log:
        print(log, file=sys.stderr)
    if failed:
        raise SystemExit(f"ptx.py: {path.name} does not compile")
    return text(program, "PTX")


def assemble(name, ptx, architectures):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / (name + ".ptx")
        source.write_text(ptx)
        for arch in architectures:
            run = subprocess.run([ptxas, "-v", "-arch", arch, "-o", source.with_suffix(".cubin"), source],
                                 capture_output=True, text=True)
            if run.returncode:
                raise SystemExit(f"ptx.py: {name} does not assemble for {arch}:\n{run.stderr}")
            kernel = ""
            if "serialized" in run.stderr:  # products that wait for each other
                raise SystemExit(f"ptx.py: {name}:\n{run.stderr}")
            for line in run.stderr.splitlines():
                if "Compiling entry function" in line:
                    kernel = line.split("'")[1]
                elif "spill" in line:
                    spills = line.strip()
                elif "Used " in line:
                    print(f"{arch} {kernel}: {line.split('Used ')[1].split(',')[0]}, {spills}")


written = {}
for path in sorted((here / "kernels").glob("*.cu")):
    architecture, assembled = targets.get(path.stem, others)
    ptx = compile(path, architecture)
    entry = re.compile(r"^\.visible \.entry (\w+)\(.*?^}\n", re.M | re.S)
    header = entry.sub("", ptx)
    for found in entry.finditer(ptx):
        written[found[1] + ".ptx"] = header + found[0]
        assemble(found[1], header + found[0], assembled)
committed = {path.name: path.read_text() for path in (here / "ptx").glob("*.ptx")}
if "--check" in sys.argv:
    if differ := sorted(name for name in written | committed if written.get(name) != committed.get(name)):
        raise SystemExit(f"ptx.py: {', '.join(differ)}: not what the kernels compile to; run cuda/dev/ptx.py and commit the result")
else:
    (here / "ptx").mkdir(exist_ok=True)
    for name in committed:
        (here / "ptx" / name).unlink()
    for name, ptx in written.items():
        (here / "ptx" / name).write_text(ptx)
