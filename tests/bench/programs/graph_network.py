"""Training of a graph network of four layers on 10,000 nodes and 50,000 edges: torch_geometric's, else written out by hand."""
import steps


def plain_layer(torch):
    class Layer(torch.nn.Module):
        """Mean over the neighbours by gather and scatter, as message passing does it."""

        def __init__(self, inner, outer):
            super().__init__()
            self.own, self.others = torch.nn.Linear(inner, outer), torch.nn.Linear(inner, outer)

        def forward(self, x, edges):
            source, target = edges
            sums = torch.zeros_like(x).index_add_(0, target, x.index_select(0, source))
            ones = torch.ones(source.numel(), 1, device=x.device)
            counts = torch.zeros(x.shape[0], 1, device=x.device).scatter_add_(0, target[:, None], ones)
            return self.own(x) + self.others(sums / counts.clamp(min=1))
    return Layer


def setup():
    import torch
    try:
        from torch_geometric.nn import SAGEConv as Layer
    except Exception:  # an installed one may fail in many ways when it does not fit to PyTorch
        Layer = plain_layer(torch)
    device = steps.torch_device()
    torch.manual_seed(0)
    nodes, edges, dim = (100, 500, 16) if steps.tiny() else (10000, 50000, 64)
    layers = torch.nn.ModuleList([Layer(dim, dim) for _ in range(4)]).to(device)
    optimizer = torch.optim.Adam(layers.parameters(), lr=1e-3)
    x, y = torch.randn(nodes, dim, device=device), torch.randn(nodes, dim, device=device)
    pairs = torch.randint(0, nodes, (2, edges), device=device)

    def step():
        optimizer.zero_grad()
        h = x
        for layer in layers:
            h = torch.relu(layer(h, pairs))
        torch.nn.functional.mse_loss(h, y).backward()
        optimizer.step()
    return step


if __name__ == "__main__":
    steps.main(setup)
