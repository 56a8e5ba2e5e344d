"""Training of a transformer by torch.compile(mode="reduce-overhead"): CUDA graphs, a few launches a step."""
import steps


def setup():
    import torch
    import transformer
    device = steps.torch_device()
    layers, dim, batch, length = (1, 64, 2, 16) if steps.tiny() else (6, 256, 4, 64)
    model = transformer.model(layers, dim, device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    compiled = torch.compile(model, mode="reduce-overhead")
    return transformer.training_step(compiled, optimizer, torch.randn(batch, length, dim, device=device), device)


if __name__ == "__main__":
    steps.main(setup)
