"""Data-parallel training of two processes on one GPU with gloo, started by torchrun."""
import facts

torch = facts.require_gpu()
import torch.distributed as dist  # noqa: E402


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 256).to("cuda:0"), device_ids=[0])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.full((32, 256), 0.01 * (rank + 1), device="cuda:0")
    for _ in range(30):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
    value = float(loss)
    dist.barrier()
    if rank == 0:
        print("loss %s" % ("fell" if value < 1.0 else "did not fall"), flush=True)
    dist.destroy_process_group()


main()
