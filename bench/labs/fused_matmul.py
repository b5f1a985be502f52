"""PyTorch's way to multiply on several GPUs, timed as build/many_gpus times the ladder's.

    python3 -m bench.labs.fused_matmul --json bench/results/nvidia-h100/fused_matmul.json

One process for each GPU of this host. Each form is timed as one GPU's product of the whole, as
NCCL's collective and torch.mm in turn, and as PyTorch's fused operators on symmetric memory, which
let the two overlap. The protocol is the project's burst: 250 ms of rest, a launch to warm up, then
10 together; the slowest rank's time counts.
"""

import argparse
import datetime
import json
import pathlib
import statistics
import sys
import time

from bench import program
from bench.record.cuda_tools import commit

ROUNDS = 3
LAUNCHES = 10
REST_S = 0.25
SHAPES = ["4096x4096x4096", "8192x8192x8192", "16384x16384x16384", "8192x28672x8192"]


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", nargs="+", default=SHAPES, help="MxNxK")
    parser.add_argument("--precisions", nargs="+", default=["fp32"], choices=["fp32", "bf16"])
    parser.add_argument("--json", type=pathlib.Path, help="file for the results")
    return parser.parse_args()


def burst_ms(torch, dist, launch):
    """Milliseconds of each round, of the slowest rank."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    launch()
    samples = []
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        time.sleep(REST_S)
        dist.barrier()
        launch()
        begin.record()
        for _ in range(LAUNCHES):
            launch()
        end.record()
        end.synchronize()
        slowest = torch.tensor([begin.elapsed_time(end) / LAUNCHES], device="cuda")
        dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
        samples.append(slowest.item())
    return samples


def ways_to_gather(torch, dist, matrices, group):
    """{name: function} for A cut along M, B along N."""
    whole_a, whole_b = matrices
    rank, ranks = dist.get_rank(), dist.get_world_size()
    a = whole_a.chunk(ranks, 0)[rank].contiguous()
    b = whole_b.chunk(ranks, 1)[rank].contiguous()
    gathered = torch.empty_like(whole_a)
    c = torch.empty(whole_a.shape[0], b.shape[1], device="cuda", dtype=a.dtype)

    def in_turn():
        dist.all_gather_into_tensor(gathered, a)
        torch.mm(gathered, b, out=c)

    def fused():
        return torch.ops.symm_mem.fused_all_gather_matmul(a, [b], 0, group)

    return {
        "compute": lambda: torch.mm(whole_a, b, out=c),
        "communication": lambda: dist.all_gather_into_tensor(gathered, a),
        "in turn": in_turn,
        "fused": fused,
    }


def ways_to_scatter(torch, dist, matrices, group):
    """{name: function} for A and B cut along K, C along M."""
    whole_a, whole_b = matrices
    rank, ranks = dist.get_rank(), dist.get_world_size()
    a = whole_a.chunk(ranks, 1)[rank].contiguous()
    b = whole_b.chunk(ranks, 0)[rank].contiguous()
    sums = torch.empty(a.shape[0], b.shape[1], device="cuda", dtype=a.dtype)
    c = torch.empty(a.shape[0] // ranks, b.shape[1], device="cuda", dtype=a.dtype)

    def in_turn():
        torch.mm(a, b, out=sums)
        dist.reduce_scatter_tensor(c, sums)

    def fused():
        return torch.ops.symm_mem.fused_matmul_reduce_scatter(a, b, "sum", 0, group)

    return {
        "compute": lambda: torch.mm(a, b, out=sums),
        "communication": lambda: dist.reduce_scatter_tensor(c, sums),
        "in turn": in_turn,
        "fused": fused,
    }


def measure(torch, dist, shape, precision, group):
    """The entries of both forms."""
    m, n, k = map(int, shape.split("x"))
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
    torch.manual_seed(1)
    matrices = [torch.randn(*extents, device="cuda", dtype=dtype) for extents in ((m, k), (k, n))]
    c = torch.empty(m, n, device="cuda", dtype=dtype)
    entries = []
    for form, ways in (("gather", ways_to_gather), ("scatter", ways_to_scatter)):
        times = {"one GPU": burst_ms(torch, dist, lambda: torch.mm(*matrices, out=c))}
        for name, launch in ways(torch, dist, matrices, group).items():
            times[name] = burst_ms(torch, dist, launch)
        entry = {"name": form, "m": m, "n": n, "k": k, "precision": precision.upper()}
        entry["time_ms"] = {name: statistics.median(samples) for name, samples in times.items()}
        entry["samples_ms"] = times
        one = entry["time_ms"]["one GPU"]
        entry["speed_up"] = {name: one / ms for name, ms in entry["time_ms"].items()}
        entries.append(entry)
    return entries


def run_rank(rank, ranks, port, arguments):
    """One process, for one GPU."""
    import torch
    import torch.distributed as dist
    from torch.distributed._symmetric_memory import enable_symm_mem_for_group

    torch.cuda.set_device(rank)
    torch.backends.cuda.matmul.allow_tf32 = False
    dist.init_process_group(
        "nccl",
        init_method=f"tcp://127.0.0.1:{port}",
        rank=rank,
        world_size=ranks,
        device_id=torch.device("cuda", rank),
    )
    group = dist.group.WORLD.group_name
    enable_symm_mem_for_group(group)
    entries = []
    for precision in arguments.precisions:
        for shape in arguments.shapes:
            entries += measure(torch, dist, shape, precision, group)
            torch.cuda.empty_cache()
    if rank == 0:
        for entry in entries:
            times = ", ".join(f"{name} {ms:.3f}" for name, ms in entry["time_ms"].items())
            shape = "{m}x{n}x{k}".format(**entry)
            print(f"{entry['precision']} {shape} {entry['name']}: {times} ms")
        context = {
            "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "commit": commit(),
            "json_schema_version": 1,
            "sm_clock_mhz": None,
            "power_w": None,
            "device": torch.cuda.get_device_name(),
            "ranks": ranks,
            "protocol": "burst",
            "torch": torch.__version__,
            "nccl": ".".join(map(str, torch.cuda.nccl.version())),
        }
        if arguments.json:
            results = {"context": context, "benchmarks": entries}
            arguments.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    dist.destroy_process_group()


def main():
    """Starts one process for each GPU."""
    arguments = parse_arguments()
    try:
        import torch
    except ImportError:
        sys.exit("fused_matmul needs PyTorch with CUDA")
    ranks = torch.cuda.device_count()
    if ranks < 2:
        sys.exit(f"fused_matmul needs two GPUs or more, and there are {ranks}")
    port = 29517
    torch.multiprocessing.spawn(run_rank, args=(ranks, port, arguments), nprocs=ranks)


if __name__ == "__main__":
    program.run(main)
