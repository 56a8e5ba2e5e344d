"""The programs of bench_outside.py (programs/NAME.py), in the order of measurement."""

PROGRAMS = {
    "gaussian_process": "Gaussian process, gpytorch",
    "lora_training": "LoRA training, transformers' Trainer",
    "eager_transformer": "small transformer, eager",
    "gpt2_training": "GPT-2 training, transformers",
    "llama_generate": "Llama generate, transformers",
    "lightning_mlp": "Lightning MLP",
    "graph_network": "graph network",
    "resnet50": "ResNet-50, AMP, DataLoader",
    "jax_training": "JAX train step",
    "compiled": "torch.compile reduce-overhead",
    "cupy_arrays": "CuPy",
    "gpu_bound": "GPU-bound transformer",
}
