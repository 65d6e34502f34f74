#!/usr/bin/env python3
"""Packs programs into wheels, so that pip puts repro on the path: a wheel has the program as a script, and no Python.

    wheel.py VERSION DIR GOOS/GOARCH=PROGRAM...

writes DIR/contextmover-VERSION-py3-none-PLATFORM.whl. The same program makes the same wheel.
"""
import base64
import hashlib
import pathlib
import stat
import sys
import zipfile

# Programs are linked statically, so any Linux will do; Go 1.26 needs macOS 12.
PLATFORMS = {
    "linux/amd64": "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}


def main(version, folder, programs):
    for program in programs:
        system, path = program.split("=", 1)
        name, tag = f"contextmover-{version}", f"py3-none-{PLATFORMS[system]}"
        info, script = f"{name}.dist-info", "repro.exe" if system.startswith("windows") else "repro"
        summary = "Compares words and texts by the contexts their words occur in, with optimal transport."
        files = {
            f"{name}.data/scripts/{script}": pathlib.Path(path).read_bytes(),
            f"{info}/METADATA": f"Metadata-Version: 2.4\nName: contextmover\nVersion: {version}\nSummary: {summary}\n"
            "License-Expression: BSD-3-Clause\nLicense-File: LICENSE\nLicense-File: NOTICES.txt\n".encode(),
            f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: contextmover\nRoot-Is-Purelib: false\n".encode()
            + "".join(f"Tag: py3-none-{p}\n" for p in PLATFORMS[system].split(".")).encode(),
            f"{info}/licenses/LICENSE": pathlib.Path("LICENSE").read_bytes(),
            f"{info}/licenses/NOTICES.txt": pathlib.Path("bin/NOTICES.txt").read_bytes(),
        }
        record = "".join(
            f"{file},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')},{len(data)}\n"
            for file, data in files.items()
        )
        files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
        wheel = pathlib.Path(folder) / f"{name}-{tag}.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for file, data in files.items():
                member = zipfile.ZipInfo(file, (1980, 1, 1, 0, 0, 0))
                # Without S_IFREG pip does not make the program executable.
                member.external_attr = (stat.S_IFREG | (0o755 if "/scripts/" in file else 0o644)) << 16
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, data)
        print(wheel)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
