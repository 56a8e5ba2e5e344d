"""As torch/nn/modules/module.py: modules in _modules of the instance, forward() called by two functions, the inner one of
which holds `self` in a cell. FAKE_TORCH=1: one function, as before 2.0."""
import os
from collections import OrderedDict


class Module:
    def __init__(self):
        super().__setattr__("training", True)
        super().__setattr__("_parameters", {})
        super().__setattr__("_modules", OrderedDict())

    def __setattr__(self, name, value):
        if isinstance(value, Module):
            self._modules[name] = value
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name):
        if name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def __getattr__(self, name):
        modules = self.__dict__.get("_modules", {})
        if name in modules:
            return modules[name]
        raise AttributeError(name)

    def add_module(self, name, module):
        self._modules[name] = module

    if os.environ.get("FAKE_TORCH") == "1":
        def _call_impl(self, *args, **kwargs):
            return self.forward(*args, **kwargs)

        __call__ = _call_impl
    else:
        def _wrapped_call_impl(self, *args, **kwargs):
            return self._call_impl(*args, **kwargs)

        def _call_impl(self, *args, **kwargs):
            def inner():
                return self.forward(*args, **kwargs)
            return inner()

        __call__ = _wrapped_call_impl
