"""Training of a small transformer, eager and as fast as the host launches: about 40,000 launches a second."""
import steps


def setup():
    import torch
    import transformer
    device = steps.torch_device()
    layers, dim, batch, length = (2, 64, 2, 16) if steps.tiny() else (6, 256, 4, 64)
    model = transformer.model(layers, dim, device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    return transformer.training_step(model, optimizer, torch.randn(batch, length, dim, device=device), device)


if __name__ == "__main__":
    steps.main(setup)
