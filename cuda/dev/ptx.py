#!/usr/bin/env python3
"""Compiles cuda/kernels/*.cu to cuda/ptx/*.ptx with the pinned NVRTC.

    ptx.py            write the PTX
    ptx.py --check    compare it with what is committed; exit 1 if it differs

Runs in the environment that requirements.txt describes; needs neither a device nor a
host compiler. ptxas assembles the result for Ampere and Hopper and reports registers.
"""
import ctypes
import importlib.util
import pathlib
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


def compile(path):
    header = (here / "kernels/common.cuh").read_bytes()
    program = ctypes.c_void_p()
    call("nvrtcCreateProgram", ctypes.byref(program), path.read_bytes(), path.name.encode(),
         1, (ctypes.c_char_p * 1)(header), (ctypes.c_char_p * 1)(b"common.cuh"))
    options = [b"--gpu-architecture=compute_80", b"--std=c++17"]
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    log = text(program, "ProgramLog").strip()
    if log:
        print(log, file=sys.stderr)
    if failed:
        raise SystemExit(f"ptx.py: {path.name} does not compile")
    return text(program, "PTX")


def assemble(name, ptx):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / (name + ".ptx")
        source.write_text(ptx)
        for arch in "sm_80", "sm_90":
            run = subprocess.run([ptxas, "-v", "-arch", arch, "-o", source.with_suffix(".cubin"), source],
                                 capture_output=True, text=True)
            if run.returncode:
                raise SystemExit(f"ptx.py: {name} does not assemble for {arch}:\n{run.stderr}")
            kernel = ""
            for line in run.stderr.splitlines():
                if "Compiling entry function" in line:
                    kernel = line.split("'")[1]
                elif "spill" in line:
                    spills = line.strip()
                elif "Used " in line:
                    print(f"{arch} {kernel}: {line.split('Used ')[1].split(',')[0]}, {spills}")


differ = []
for path in sorted((here / "kernels").glob("*.cu")):
    ptx = compile(path)
    assemble(path.stem, ptx)
    target = here / "ptx" / (path.stem + ".ptx")
    if "--check" in sys.argv:
        if not target.exists() or target.read_text() != ptx:
            differ.append(target.name)
    else:
        target.write_text(ptx)
if differ:
    raise SystemExit(f"ptx.py: {', '.join(differ)}: not what the kernels compile to; run cuda/dev/ptx.py and commit the result")
