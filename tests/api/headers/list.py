#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists what include/ declares. Usage: list.py INCLUDE_DIR OUT_DIR

Writes driver.def, runtime.def and library.def: a row for every enumerator, structure, field, flag macro and function that the
headers declare, found by clang itself (clang-19 -ast-dump), so that nothing can be forgotten."""
import json
import os
import re
import subprocess
import sys

TWO_FORMS = ("cublasGemmEx", "cublasGemmBatchedEx", "cublasGemmStridedBatchedEx")  # in C++: a name of two types
CLANG = os.environ.get("CLANG", "clang-19")


def declarations(include, text, files):
    cmd = [CLANG, "-x", "c", "-std=gnu17", "-I", include, "-fsyntax-only", "-Xclang", "-ast-dump=json", "-"]
    root = json.loads(subprocess.run(cmd, input=text, capture_output=True, text=True, check=True).stdout)
    where = ""
    for node in root["inner"]:
        loc = node.get("loc", {})
        where = loc.get("expansionLoc", loc).get("file", where)
        if os.path.abspath(where).startswith(os.path.abspath(include) + os.sep) and (not files or os.path.basename(where) in files):
            yield node


def paths(record, prefix=""):
    """Field paths of a record, into unnamed members and named structures declared inside."""
    nested = None
    for node in record.get("inner", []):
        if node["kind"] == "RecordDecl":
            nested = node
        elif node["kind"] == "FieldDecl":
            name, kind = node.get("name"), node["type"]["qualType"]
            inside = nested if nested and ("unnamed" in kind or "anonymous" in kind or
                                           nested.get("name") and re.search(r"\b%s\b" % nested["name"], kind)) else None
            if not name:
                yield from paths(inside, prefix)
                continue
            if not node.get("isBitfield"):
                yield prefix + name
            if inside and not kind.endswith("]"):
                yield from paths(inside, prefix + name + ".")


def flags(include, text):
    out = subprocess.run([CLANG, "-x", "c", "-I", include, "-E", "-dM", "-"], input=text, capture_output=True, text=True,
                         check=True).stdout
    for name, value in re.findall(r"^#define (c?[uU]?\w+) (.+)$", out, re.M):
        number = re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", value)
        alias = re.fullmatch(r"(CU_LAUNCH_ATTRIBUTE_|cudaLaunchAttribute(?!ID|Value))\w+", value)
        if re.match(r"(CU|cuda)", name) and (number or alias or value.startswith("((")):
            yield name


def write(include, path, text, files=None):
    lines, seen = [], set()
    records = {}
    for node in declarations(include, text, files):
        kind, name = node["kind"], node.get("name")
        if kind == "EnumDecl":
            lines += ["VALUE(%s)" % c["name"] for c in node.get("inner", []) if c["kind"] == "EnumConstantDecl"]
        elif kind == "RecordDecl" and node.get("completeDefinition"):
            if name:
                records["%s %s" % (node["tagUsed"], name)] = node
            else:
                records[node["id"]] = node
        elif kind == "TypedefDecl":
            lines.append("SIZE(%s)" % name)
            for inner in node.get("inner", []):
                owned = inner.get("ownedTagDecl", {})
                if owned.get("id") in records:
                    records["typedef " + name] = records.pop(owned["id"])
        elif kind == "FunctionDecl" and name not in seen and name not in TWO_FORMS and not node.get("inline") and node.get("storageClass") != "static":
            seen.add(name)
            lines.append("FUNCTION(%s)" % name)
    for key, node in records.items():
        kind = key[8:] if key.startswith("typedef ") else key
        lines.append("SIZE(%s)" % kind)
        lines += ["FIELD(%s, %s)" % (kind, p) for p in paths(node)]
    if not files:
        lines += ["VALUE(%s)" % m for m in sorted(set(flags(include, text)))]
    with open(path, "w") as out:
        out.write("\n".join(lines) + "\n")


include, folder = sys.argv[1:3]
write(include, os.path.join(folder, "driver.def"), "#include <cuda.h>\n#include <cudaProfiler.h>\n")
write(include, os.path.join(folder, "runtime.def"), "#include <cuda_runtime_api.h>\n#include <cuda_profiler_api.h>\n")
write(include, os.path.join(folder, "library.def"), "#include <cublas_v2.h>\n", ("cublas_api.h", "cuComplex.h", "library_types.h"))
