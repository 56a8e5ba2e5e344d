"""Clean: ResNet-50 training from GPU memory, mixed precision, channels last."""
import torch
import torchvision
from common import batch, device, main, number_type, scaled


def make(_):
    torch.backends.cudnn.benchmark = True
    model = torchvision.models.resnet50().to(device(), memory_format=torch.channels_last).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9, fused=device() == "cuda")
    images = torch.randn(batch(256, 1), 3, scaled(224, 64), scaled(224, 64), device=device()).contiguous(memory_format=torch.channels_last)
    labels = torch.randint(0, 1000, (len(images),), device=device())

    def step(_):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device(), torch.bfloat16, enabled=number_type() == torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()

    return step


if __name__ == "__main__":
    main(make, 20)
