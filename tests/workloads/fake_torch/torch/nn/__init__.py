from .modules.module import Module
from .modules.container import ModuleDict, ModuleList, Sequential
