"""Training of torchvision's ResNet-50 with mixed precision; four DataLoader workers make the pictures."""
import steps


def batches(loader, device):
    while True:
        for pictures, labels in loader:
            yield pictures.to(device, non_blocking=True), labels.to(device, non_blocking=True)


def setup():
    import torch
    from torchvision.models import resnet18, resnet50

    class Pictures(torch.utils.data.Dataset):
        """Random pictures: made by a worker from a picture that it has, by a flip and a shift of the colours."""

        def __init__(self, count, size):
            self.count, self.base = count, torch.rand(3, size, size)

        def __len__(self):
            return self.count

        def __getitem__(self, index):
            picture = self.base.flip(2) if index % 2 else self.base
            return (picture - 0.5) / (0.2 + 0.001 * (index % 10)), index % 1000

    device = steps.torch_device()
    torch.manual_seed(0)
    batch, size, workers = (2, 32, 1) if steps.tiny() else (64, 224, 4)
    model = (resnet18 if steps.tiny() else resnet50)(weights=None).to(device)
    loader = torch.utils.data.DataLoader(Pictures(200 * batch, size), batch, num_workers=workers, pin_memory=device == "cuda",
                                         persistent_workers=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    scaler = torch.amp.GradScaler(device, enabled=device == "cuda")
    stream = batches(loader, device)
    kind = torch.float16 if device == "cuda" else torch.bfloat16

    def step():
        pictures, labels = next(stream)
        optimizer.zero_grad()
        with torch.autocast(device, dtype=kind):
            loss = torch.nn.functional.cross_entropy(model(pictures), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return step


if __name__ == "__main__":
    steps.main(setup)
