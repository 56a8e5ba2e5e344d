"""Takes batches from a DataLoader with two workers; one batch in five takes a worker much longer than usual."""
import random
import time

import base


def main():
    import torch
    args = base.options()
    base.alone()
    device = args.device
    model, width, batch = base.network(torch, device)
    dice = random.Random(args.seed)
    late = {i for i in range(60, 100_000) if dice.random() < 0.2} if args.cause == "on" else set()

    class Batches(torch.utils.data.Dataset):
        def __len__(self):
            return 100_000

        def __getitem__(self, index):
            time.sleep(0.12 if index in late else 0.004)
            return torch.full((16, width), float(index % 7))

    loader = iter(torch.utils.data.DataLoader(Batches(), batch_size=None, num_workers=2, prefetch_factor=2))

    def step(number, affected):
        rows = next(loader).to(device)
        model.zero_grad(set_to_none=True)
        loss = model(rows.repeat(max(batch // 16, 1), 1)).square().mean()
        loss.backward()
        loss.item()

    count = [0]

    def is_late(since):
        count[0] += 1
        return count[0] - 1 in late

    times = base.loop(torch, args, step, is_late, base.Marks(torch, device))
    base.tell("data_loader", args, times)


if __name__ == "__main__":
    main()
