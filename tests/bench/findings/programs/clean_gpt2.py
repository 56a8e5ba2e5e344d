"""Clean: GPT-2 training in bfloat16, fused attention, activation and optimizer; tokens are in GPU memory."""
import torch
import transformers
from common import batch, device, main, number_type, scaled


def make(_):
    config = transformers.GPT2Config(n_layer=scaled(8, 1), n_embd=scaled(1024, 64), n_head=scaled(16, 2), vocab_size=scaled(50304, 128),
                                     activation_function="gelu_pytorch_tanh", attn_implementation="sdpa", use_cache=False)
    model = transformers.GPT2LMHeadModel(config).to(device(), number_type()).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=device() == "cuda")
    ids = torch.randint(0, config.vocab_size, (batch(32, 1), scaled(1024, 16)), device=device())

    def step(_):
        optimizer.zero_grad(set_to_none=True)
        model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()

    return step


if __name__ == "__main__":
    main(make, 12)
