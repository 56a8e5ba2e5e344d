"""Training of a transformer with large matrices: the GPU, not the host, is the limit."""
import steps


def setup():
    import torch
    import transformer
    device = steps.torch_device()
    layers, dim, batch, length = (2, 64, 2, 16) if steps.tiny() else (2, 4096, 4, 1024)
    model = transformer.model(layers, dim, device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    return transformer.training_step(model, optimizer, torch.randn(batch, length, dim, device=device), device)


if __name__ == "__main__":
    steps.main(setup)
