"""Each step takes a batch from pinned memory; in bursts another stream copies from pinned memory, too, and both share the way."""
import base


def main():
    import torch
    args = base.options()
    base.alone()
    device = args.device
    model, width, batch = base.network(torch, device)
    pin = device != "cpu"
    own = torch.randn(8 * batch, width, pin_memory=pin)      # 128 MB
    other = torch.empty(64 << 20 if pin else 1024, dtype=torch.uint8, pin_memory=pin)
    target = torch.empty_like(other, device=device)
    stream = torch.cuda.Stream() if pin else None
    bursts = base.Bursts(args.seed, args.seconds, args.cause == "on")

    def step(number, affected):
        if affected and pin:
            with torch.cuda.stream(stream):
                for _ in range(4):
                    target.copy_(other, non_blocking=True)
        data = own.to(device, non_blocking=True)
        model.zero_grad(set_to_none=True)
        loss = model(data[:batch]).square().mean()
        loss.backward()
        loss.item()

    times = base.loop(torch, args, step, bursts.now, base.Marks(torch, device))
    base.tell("copy", args, times)


if __name__ == "__main__":
    main()
