"""How many mails a second are read: `.venv/bin/python -m scripts.bench_inbound [seconds]`.

Reads the sample mails of the tests over and over, from raw bytes to orders, in one process.
"""

import platform
import sys
import time

from tests.notifications.inbound.sample_mails import samples


def main() -> None:
    """Read for some seconds of CPU time and print the speed, all in all and for the slowest samples."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    mails = samples()
    raws = {sample.file: len(sample.raw) for sample in mails}
    spent = dict.fromkeys(raws, 0.0)
    rounds = 0
    while sum(spent.values()) < seconds:
        for sample in mails:
            start = time.process_time()
            sample.orders(sample.read())
            spent[sample.file] += time.process_time() - start
        rounds += 1
    total = sum(spent.values())
    read = rounds * len(mails)
    print(f"Python {platform.python_version()}, {len(mails)} samples, {rounds} rounds, {total:.1f} s of CPU time")  # noqa: T201
    print(f"{read / total:.0f} mails/s, {rounds * sum(raws.values()) / total / 1e6:.2f} MB/s")  # noqa: T201
    for file in sorted(spent, key=spent.__getitem__, reverse=True)[:5]:
        print(f"{spent[file] / rounds * 1000:7.2f} ms  {file} ({raws[file]} bytes)")  # noqa: T201


if __name__ == "__main__":
    main()
