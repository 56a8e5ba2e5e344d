"""Training that reads through a DataLoader with worker processes. --workers N --context fork|spawn"""
import argparse

import facts

torch = facts.require_gpu()


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 512

    def __getitem__(self, i):
        return torch.full((64, 64), float(i % 7))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--context", choices=("fork", "spawn"), default="fork")
    o = p.parse_args()
    weight = torch.ones(64, 64, device="cuda")  # CUDA is up before the workers start
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=16, num_workers=o.workers, multiprocessing_context=o.context,
                                         pin_memory=True)
    total = 0.0
    for _ in range(2):
        for batch in loader:
            total += float((batch.to("cuda", non_blocking=True) @ weight).mean())
    print("total %.1f" % total)


if __name__ == "__main__":
    main()
