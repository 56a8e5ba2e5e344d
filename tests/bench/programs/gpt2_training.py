"""Training of GPT-2 (124 million parameters, random weights) from transformers, batch 8 of 512 tokens."""
import steps


def setup():
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel
    device = steps.torch_device()
    torch.manual_seed(0)
    size = dict(n_layer=2, n_head=2, n_embd=64, vocab_size=500) if steps.tiny() else {}
    batch, length = (2, 16) if steps.tiny() else (8, 512)
    config = GPT2Config(bos_token_id=0, eos_token_id=0, **size)
    model = GPT2LMHeadModel(config).to(device).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens = torch.randint(0, config.vocab_size, (batch, length), device=device)

    def step():
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


if __name__ == "__main__":
    steps.main(setup)
