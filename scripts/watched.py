# SPDX-License-Identifier: MIT
"""Runs a program for a limited processor time, or until it hangs. On a busy machine a limit of real time would stop programs that only wait
for the processor."""
import glob
import os
import signal
import subprocess

TICKS = os.sysconf("SC_CLK_TCK")
END_SECONDS = 60  # for the report of a program that is asked to end


def threads(group):
    """Of the processes of a group: is no thread running or about to, and the processor time that all have used, in ticks."""
    asleep, ticks = True, 0
    for path in glob.glob("/proc/[0-9]*/task/[0-9]*/stat"):
        try:
            with open(path, encoding="latin-1") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if int(fields[2]) == group:
            asleep = asleep and fields[0] in "SZ"
            ticks += int(fields[11]) + int(fields[12])
    return asleep, ticks


def end(process):
    """Asked to end, so that it writes its report. Not SIGINT: a shell's jobs in the background ignore that."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=END_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run(command, folder, seconds, asleep_seconds):
    """Return: its exit status; "stopped": it used @seconds of processor time, "hangs": it slept for @asleep_seconds, and was asked to end."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=folder,
                               start_new_session=True)
    quiet, before = 0, -1
    while True:
        try:
            return process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            asleep, ticks = threads(process.pid)
            quiet = quiet + 1 if asleep and ticks == before else 0
            before = ticks
        if quiet >= asleep_seconds or ticks > seconds * TICKS:
            end(process)
            return "hangs" if quiet >= asleep_seconds else "stopped"
