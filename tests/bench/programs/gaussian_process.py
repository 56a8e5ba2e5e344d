"""Fit of a Gaussian process with gpytorch: 400 points of six dimensions, exact, Adam. Some 190 launches in 6 ms."""
import steps


def setup():
    import gpytorch
    import torch
    device = steps.torch_device()
    torch.manual_seed(0)
    x = torch.rand(50 if steps.tiny() else 400, 6, device=device)
    y = torch.sin(6 * x[:, 0]) + x[:, 1] ** 2

    class Model(gpytorch.models.ExactGP):
        def __init__(self, likelihood):
            super().__init__(x, y, likelihood)
            self.mean = gpytorch.means.ConstantMean()
            self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=6))

        def forward(self, points):
            return gpytorch.distributions.MultivariateNormal(self.mean(points), self.kernel(points))

    likelihood = gpytorch.likelihoods.GaussianLikelihood().to(device)
    model = Model(likelihood).to(device).train()
    marginal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood.train(), model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)

    def step():
        optimizer.zero_grad()
        (-marginal(model(x), y)).backward()
        optimizer.step()
    return step


if __name__ == "__main__":
    steps.main(setup)
