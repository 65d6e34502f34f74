#!/usr/bin/env python3
"""Tables what a model of processors (llvm-mca) says of the inner loops for arm64, which are disassembled from the tests'
binaries, and checks that each word in the assembly is the instruction that its comment names.

    bench/neon.py          # needs Go and LLVM 19 or later; LLVM=-19 where its tools are named llvm-mca-19
"""

import os
import re
import subprocess
import sys
import tempfile

SUFFIX = os.environ.get("LLVM", "")
# Name, LLVM's name, 128-bit units that multiply in LLVM's model.
PROCESSORS = [("Apple M1", "apple-m1", 3), ("Neoverse N1", "neoverse-n1", 2), ("Neoverse V2", "neoverse-v2", 4)]
UNITS = re.compile(r"^(fml[as]|smlal|fmul|fadd|fsub|fmax|fmin|fmaxnm|fminnm|fcm|frint|fcvt|scvtf|fabs|fneg|frsqrts)")
# Loops whose divisions and roots are not shown: they are bound by these, on all processors alike.
DIVIDES = re.compile(r"^(fdiv|fsqrt|frsqrte)")


def run(*command, **more):
    return subprocess.run(command, check=True, text=True, capture_output=True, **more).stdout


def check(path):
    """Fails if a word of an assembly file is not what its comment says."""
    words = re.findall(r"WORD \$0x([0-9a-f]{8}) // (.*)", open(path).read())
    code = "".join(" ".join("0x" + w[i : i + 2] for i in (6, 4, 2, 0)) + "\n" for w, _ in words)
    out = run("llvm-mc" + SUFFIX, "--disassemble", "--triple=aarch64", "--mattr=+neon", input=code)
    lines = [x for x in out.splitlines() if x.strip() and not x.strip().startswith(".")]
    plain = lambda s: re.sub(r"\s+", " ", s.strip())
    if len(lines) != len(words):
        sys.exit(f"{path}: {len(words)} words, {len(lines)} instructions")
    for line, (word, comment) in zip(lines, words):
        if plain(line) != plain(comment):
            sys.exit(f"{path}: {word} is {plain(line)}, its comment says {comment}")
    return len(words)


def loops(binary, symbol):
    """Yields the innermost loops of a function, as lines of assembly."""
    out = run("llvm-objdump" + SUFFIX, "-d", "--no-show-raw-insn", f"--disassemble-symbols={symbol}", binary)
    code = [(int(a, 16), re.sub(r"\s+", " ", t.strip())) for a, t in re.findall(r"^\s*([0-9a-f]+):\s+(.*)$", out, re.M)]
    for end, (address, text) in enumerate(code):
        m = re.match(r"(b\.\w+|cbn?z \w+,) 0x([0-9a-f]+)", text)
        if m and int(m[2], 16) <= address:
            body = [t for a, t in code[: end + 1] if a >= int(m[2], 16)]
            if not any(re.match(r"b\.\w+|cbn?z|tbn?z", t) for t in body[:-1]):
                yield [re.sub(r"\s*<.*", "", t) for t in body[:-1]] + ["b.ne loop"]


def cycles(body, processor):
    """The cycles of an iteration, from the second half of many, and what they would be if nothing waited for anything."""
    text = "loop:\n" + "\n".join(body) + "\n"
    total = []
    for n in (200, 400):
        out = run("llvm-mca" + SUFFIX, "--mtriple=aarch64", f"--mcpu={processor}", f"--iterations={n}", input=text)
        total.append(int(re.search(r"Total Cycles:\s+(\d+)", out)[1]))
    return (total[1] - total[0]) / 200, float(re.search(r"Block RThroughput:\s+([\d.]+)", out)[1])


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    files = run("git", "ls-files", "*_arm64.s").split()
    print(f"{sum(map(check, files))} words in {len(files)} files are what their comments say\n", file=sys.stderr)
    print("| loop | divisions, roots |" + "".join(f" {name}, cycles | {n} units | all |" for name, _, n in PROCESSORS))
    print("|:--|--:|" + "--:|--:|--:|" * len(PROCESSORS))
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            package = os.path.dirname(path)
            binary = os.path.join(folder, "test")
            run("go", "test", "-c", "-o", binary, "./" + package, env=os.environ | {"GOARCH": "arm64", "CGO_ENABLED": "0"})
            module = run("go", "list", "./" + package).strip()
            for name in re.findall(r"^TEXT ·(\w+)\(SB\)", open(path).read(), re.M):
                found = list(loops(binary, f"{module}.{name}.abi0"))
                if not found:
                    continue
                body = max(found, key=lambda b: sum(bool(UNITS.match(t)) for t in b))
                busy = sum(bool(UNITS.match(t)) for t in body)
                slow = sum(bool(DIVIDES.match(t)) for t in body)
                row = f"| {package.removeprefix('cmdlib/')} {name} | {slow or ''} |"
                for _, processor, units in PROCESSORS:
                    c, bound = cycles(body, processor)
                    row += f" {c:.1f} | {100 * busy / units / c:.0f} % | {100 * bound / c:.0f} % |"
                print(row, flush=True)


main()
