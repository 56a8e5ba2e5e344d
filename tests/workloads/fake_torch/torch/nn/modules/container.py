from .module import Module


class Sequential(Module):
    def __init__(self, *modules):
        super().__init__()
        for i, module in enumerate(modules):
            self.add_module(str(i), module)

    def __iter__(self):
        return iter(self._modules.values())

    def forward(self, x):
        for module in self:
            x = module(x)
        return x


class ModuleList(Sequential):
    def forward(self, x):
        raise NotImplementedError

    def __init__(self, modules):
        super().__init__(*modules)


class ModuleDict(Module):
    def __init__(self, modules):
        super().__init__()
        for name, module in modules.items():
            self.add_module(name, module)

    def __getitem__(self, name):
        return self._modules[name]
